#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The port for vcpkg and the recipe for Conan, run as these tools run them, but with functions of this folder in their
place, which compile nothing: the configuration that they build is configured, the libraries are empty files, and another
project finds what they install. What the tools themselves do is not tested.

Usage: recipes_test.py SOURCE_FOLDER CXX
       recipes_test.py --install BUILD_FOLDER PREFIX      installs a build that has been configured only
"""

import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types

from command import check, run

HERE = pathlib.Path(__file__).resolve().parent


def install(build, prefix):
    for name in re.findall(r'"[^"]*/(lib\w+\.a)"', (build / "cmake_install.cmake").read_text()):
        if not (build / name).exists() and name.startswith("libvolt_"):
            (build / name).touch()
    run("cmake", "--install", build, "--prefix", prefix)


def finds(prefix, folder, compiler, llhttp, *options):
    """Configures the project of this folder, which links most libraries, against what is installed."""
    run("cmake", "-S", HERE, "-B", folder, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}",
        f"-DCMAKE_PREFIX_PATH={';'.join(map(str, (*prefix, llhttp)))}", *options)
    place = re.search(r"^volt_DIR:PATH=(.*)$", (folder / "CMakeCache.txt").read_text(), re.MULTILINE)[1]
    check(any(pathlib.Path(place).is_relative_to(path) for path in prefix), f"it finds another Volt: {place}")


def no_tests_or_programs(build):
    said = run("ninja", "-C", build, "-t", "targets", "all")
    check("libvolt_http.a" in said and "bin/hello" not in said and "_tests" not in said, "it builds tests or programs")


# --- vcpkg

def port(tree, folder, compiler, features):
    return run("cmake", f"-DPORT_FOLDER={tree / 'cmake/package/vcpkg/volt'}", f"-DBUILD_FOLDER={folder / 'build'}",
               f"-DCURRENT_PACKAGES_DIR={folder / 'packages'}", f"-DCXX={compiler}", f"-DFEATURES={';'.join(features)}",
               f"-DINSTALL={sys.executable};{pathlib.Path(__file__).resolve()};--install", "-P",
               HERE / "vcpkg_functions.cmake")


def test_vcpkg(tree, folder, compiler, llhttp):
    manifest = json.loads((tree / "cmake/package/vcpkg/volt/vcpkg.json").read_text())
    version = re.search(r"project\(volt VERSION ([\d.]+)", (tree / "CMakeLists.txt").read_text())[1]
    check(manifest["version"] == version, f"the port has version {manifest['version']}, and Volt {version}")
    check(sorted(manifest["features"]) == sorted(manifest["default-features"]), "a feature is not built by default")
    port(tree, folder, compiler, manifest["features"])
    no_tests_or_programs(folder / "build")
    packages = folder / "packages"
    check(not (packages / "bin").exists(), "vcpkg refuses programs in bin")
    check((packages / "share/volt/copyright").exists() and (packages / "include/volt/http/http.h").exists(), "files miss")
    finds([packages], folder / "consumer", compiler, llhttp)
    shutil.rmtree(packages)  # CMake does not copy a file again that is less than a second older than its copy
    port(tree, folder, compiler, {"sqlite"})
    libraries = run("ninja", "-C", folder / "build", "-t", "targets", "all")
    check("libvolt_sqlite.a" in libraries and "libvolt_pg.a" not in libraries, "the features do not choose libraries")


# --- Conan

class ConanFile:
    """As much of Conan's class as the recipe uses."""

    def __init__(self, recipe_folder, settings):
        self.recipe_folder = str(recipe_folder)
        self.settings = settings
        self.options = types.SimpleNamespace(get_safe=self.default_options.get)
        self.folders = types.SimpleNamespace()
        self.cpp_info = types.SimpleNamespace(properties={})
        self.cpp_info.set_property = self.cpp_info.properties.__setitem__
        self.buildenv_info = types.SimpleNamespace(prepend_path=lambda name, path: setattr(self, "path", (name, path)))
        self.done = []


class Version(str):
    """A setting with a version below it: str(compiler), compiler.version."""
    version = ""


def copy(_recipe, pattern, source, target):
    for path in pathlib.Path(source).glob(pattern):
        place = pathlib.Path(target) / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            shutil.copytree(path, place, dirs_exist_ok=True)
        else:
            shutil.copy(path, place)


class CMakeToolchain:
    def __init__(self, recipe):
        self.recipe, self.cache_variables = recipe, {}

    def generate(self):
        self.recipe.cache_variables = self.cache_variables


def make_cmake(compiler, llhttp):
    class CMake:
        def __init__(self, recipe):
            self.recipe = recipe

        def configure(self):
            options = [f"-D{name}={'ON' if value else 'OFF'}" for name, value in self.recipe.cache_variables.items()]
            said = run("cmake", "-S", self.recipe.source_folder, "-B", self.recipe.build_folder, "-G", "Ninja",
                       f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PREFIX_PATH={llhttp}",
                       *options, stderr=subprocess.STDOUT)
            check("not used by the project" not in said, said)
            self.recipe.done.append("configure")

        def build(self):
            self.recipe.done.append("build")

        def install(self):
            install(self.recipe.build_folder, self.recipe.package_folder)
            self.recipe.done.append("install")

    return CMake


class Refused(Exception):
    pass


def load_recipe(path, cmake, installed):
    apt = type("Apt", (), {"__init__": lambda self, recipe: None,
                           "install": lambda self, packages, check=True: installed.extend(packages)})
    stand_ins = {"conan": {"ConanFile": ConanFile}, "conan.errors": {"ConanInvalidConfiguration": Refused},
                 "conan.tools": {}, "conan.tools.cmake": {"CMake": cmake, "CMakeToolchain": CMakeToolchain},
                 "conan.tools.files": {"copy": copy, "load": lambda recipe, file: pathlib.Path(file).read_text()},
                 "conan.tools.system": {}, "conan.tools.system.package_manager": {"Apt": apt}}
    for name, members in stand_ins.items():
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(members)
    spec = importlib.util.spec_from_file_location("conanfile", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.VoltRecipe


def settings_of(compiler, version, system="Linux"):
    setting = Version(compiler)
    setting.version = version
    return types.SimpleNamespace(os=system, arch="x86_64", build_type="Release", compiler=setting)


def check_packages(tree, installed):
    wanted = re.search(r'^to_build="([^"]*)"', (tree / "dev").read_text(), re.MULTILINE)[1].replace("\\\n", " ").split()
    wanted = {name for name in wanted if name.endswith("-dev") and name != "doctest-dev"} | {"libllhttp-dev"}
    check(set(installed) == wanted, f"the recipe and dev differ in {set(installed) ^ wanted}")


def test_conan(tree, folder, compiler, llhttp):
    installed = []
    recipe_folder = tree / "cmake/package/conan"
    recipe_class = load_recipe(recipe_folder / "conanfile.py", make_cmake(compiler, llhttp), installed)
    for settings, accepted in ((settings_of("clang", "19"), True), (settings_of("gcc", "14.2"), True),
                               (settings_of("clang", "18"), False), (settings_of("gcc", "12"), False),
                               (settings_of("msvc", "194"), False), (settings_of("clang", "19", "Windows"), False)):
        try:
            recipe_class(recipe_folder, settings).validate()
            check(accepted, f"it accepts {vars(settings)}")
        except Refused:
            check(not accepted, f"it refuses {vars(settings)}")

    recipe = recipe_class(recipe_folder, settings_of("clang", "19"))
    recipe.set_version()
    check(f"project(volt VERSION {recipe.version} " in (tree / "CMakeLists.txt").read_text(), recipe.version)
    recipe.layout()
    check((recipe_folder / recipe.folders.root).resolve() == tree.resolve(), "its root is not the tree")
    # In its cache, Conan builds a copy of what the recipe exports.
    recipe.export_sources_folder = recipe.source_folder = folder / "sources"
    recipe.build_folder, recipe.package_folder = folder / "sources" / recipe.folders.build, folder / "package"
    recipe.export_sources()
    recipe.system_requirements()
    check_packages(tree, installed)
    recipe.generate()
    recipe.build()
    recipe.package()
    recipe.package_info()
    check(recipe.done == ["configure", "build", "install"], recipe.done)
    no_tests_or_programs(recipe.build_folder)
    check(recipe.cpp_info.properties == {"cmake_find_mode": "none"}, recipe.cpp_info.properties)
    check((recipe.package_folder / "licenses/LICENSE").exists(), "no license")
    check((pathlib.Path(recipe.path[1]) / "volt.pc").exists(), "pkg-config does not find it")
    run(recipe.package_folder / "bin/volt-new", "shop", folder / "shop")
    finds([recipe.package_folder / place for place in recipe.cpp_info.builddirs], folder / "consumer", compiler, llhttp)


def main():
    if sys.argv[1] == "--install":
        install(pathlib.Path(sys.argv[2]), sys.argv[3])
        return
    tree, compiler = pathlib.Path(sys.argv[1]), sys.argv[2]
    llhttp = tree / "build/packages/llhttp/usr"  # where `dev` unpacks it on Debian 12
    with tempfile.TemporaryDirectory() as name:
        for test in (test_vcpkg, test_conan):
            folder = pathlib.Path(name) / test.__name__
            folder.mkdir()
            test(tree, folder, compiler, llhttp)
            print(f"{test.__name__}: ok", flush=True)


if __name__ == "__main__":
    main()
