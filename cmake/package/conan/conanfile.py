# SPDX-License-Identifier: MIT
"""The recipe of Volt for Conan 2. It builds the tree that it lies in, so that it needs no network (docs/installing.md).

The libraries that Volt needs are those of the system: the Debian packages of `./dev`. (Rejected: the packages of Conan
Center, which lacks some of them, and whose versions Volt is not tested with.)
"""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeToolchain
from conan.tools.files import copy, load
from conan.tools.system.package_manager import Apt

COMPILER_VERSION_MIN = {"clang": 19, "gcc": 13}  # as cmake/package/compiler.cmake
DATABASES = {"pg": "libpq-dev", "sqlite": "libsqlite3-dev", "redis": "libhiredis-dev"}
PACKAGES = ("liburing-dev", "libllhttp-dev", "libc-ares-dev", "libssl-dev", "libargon2-dev", "libsimdjson-dev",
            "zlib1g-dev", "libbrotli-dev", "libzstd-dev", "libcli11-dev", "libtomlplusplus-dev")
ROOT = os.path.join("..", "..", "..")
SOURCES = ("CMakeLists.txt", "LICENSE", "README.md", "cmake/*", "runtime/*", "crypto/*", "tracing/*", "reflect/*", "http/*",
           "tls/*", "migrations/*", "database/*", "pg/*", "sqlite/*", "redis/*", "sessions/*", "stores/*", "topics/*",
           "config/*")


class VoltRecipe(ConanFile):
    name = "volt"
    description = "HTTP/1.1 server framework in C++23 on a work-stealing coroutine runtime"
    license = "MIT"
    topics = ("http", "server", "coroutines", "io_uring")
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {name: [True, False] for name in DATABASES}
    default_options = {name: True for name in DATABASES}

    def set_version(self):
        project = load(self, os.path.join(self.recipe_folder, ROOT, "CMakeLists.txt"))
        self.version = re.search(r"project\(volt VERSION ([\d.]+)", project)[1]

    def export_sources(self):
        for pattern in SOURCES:
            copy(self, pattern, os.path.join(self.recipe_folder, ROOT), self.export_sources_folder)

    def layout(self):
        self.folders.root = ROOT
        self.folders.source = "."
        self.folders.build = os.path.join("build", "conan", str(self.settings.build_type))
        self.folders.generators = os.path.join(self.folders.build, "generators")

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("Volt runs on Linux only")
        compiler = str(self.settings.compiler)
        if compiler not in COMPILER_VERSION_MIN:
            raise ConanInvalidConfiguration(f"Volt is compiled by clang 19 or g++ 14, not by {compiler}")
        version = int(str(self.settings.compiler.version).split(".", maxsplit=1)[0])
        if version < COMPILER_VERSION_MIN[compiler]:
            raise ConanInvalidConfiguration(f"Volt does not support {compiler} {version} (docs/compilers.md)")

    def system_requirements(self):
        # By default Conan only checks whether they are installed, and says which are missing.
        wanted = [package for name, package in DATABASES.items() if self.options.get_safe(name)]
        Apt(self).install([*PACKAGES, *wanted], check=True)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for name in DATABASES:
            toolchain.cache_variables[f"VOLT_{name.upper()}"] = bool(self.options.get_safe(name))
        for name in ("VOLT_APPS", "VOLT_TESTS", "VOLT_BENCHMARKS", "VOLT_WERROR"):
            toolchain.cache_variables[name] = False
        toolchain.cache_variables["VOLT_FAST_BUILD"] = True
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        # find_package(volt) reads the files that Volt installs, so that its targets are those of every other installation.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "volt")]
        self.buildenv_info.prepend_path("PKG_CONFIG_PATH", os.path.join(self.package_folder, "lib", "pkgconfig"))
