# SPDX-License-Identifier: MIT
# Builds the tree that this port lies in, so that it needs no network (docs/installing.md).
#
# The libraries that Volt needs are those of the system: the Debian packages of `./dev`. (Rejected: the ports of vcpkg,
# which it would compile first, and some of which are other versions than those that Volt is tested with.)
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS FEATURES pg VOLT_PG redis VOLT_REDIS sqlite VOLT_SQLITE)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${FEATURE_OPTIONS} -DVOLT_APPS=OFF -DVOLT_TESTS=OFF -DVOLT_BENCHMARKS=OFF -DVOLT_WERROR=OFF -DVOLT_FAST_BUILD=ON)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/volt)
vcpkg_fixup_pkgconfig()

# Projects that use vcpkg begin with a manifest, not with volt-new. A debug build differs in its libraries only.
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/bin" "${CURRENT_PACKAGES_DIR}/share/man"
     "${CURRENT_PACKAGES_DIR}/share/volt/template" "${CURRENT_PACKAGES_DIR}/debug/bin"
     "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
