# The C libraries for vcpkg, from the sources that this file is in. It needs Rust, but with the packed sources no network.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
set(VCPKG_BUILD_TYPE release)
set(VCPKG_POLICY_MISMATCHED_NUMBER_OF_BINARIES enabled)
foreach(action build install)
    vcpkg_execute_required_process(
        COMMAND "${CMAKE_COMMAND}" -E env --unset=LIBDIR --unset=DESTDIR "PREFIX=${CURRENT_PACKAGES_DIR}"
            "CARGO_TARGET_DIR=${CURRENT_BUILDTREES_DIR}/target" scripts/capi ${action}
        WORKING_DIRECTORY "${SOURCE_PATH}"
        LOGNAME "${action}-${TARGET_TRIPLET}")
endforeach()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/man")
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/wegman)
vcpkg_fixup_pkgconfig()
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE-MIT" "${SOURCE_PATH}/LICENSE-APACHE"
    "${CURRENT_PACKAGES_DIR}/share/doc/wegman/NOTICES")
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/doc")
