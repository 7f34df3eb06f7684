"""The C libraries for Conan 2. It needs Rust, but with the packed sources no network: `conan create capi`."""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import cross_building
from conan.tools.files import copy, load, rm, rmdir


class Wegman(ConanFile):
    name = "wegman"
    description = "Fast message authentication with bounds on forgeries: UMAC, PMAC, sessions"
    license = "MIT OR Apache-2.0"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": False}

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, "../Cargo.toml"))
        self.version = re.search('^version = "(.*)"', text, re.MULTILINE)[1]

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..")
        copy(self, "*", root, self.export_sources_folder, excludes=("target/*", ".git/*"))

    def validate(self):
        if self.settings.os != "Linux" or cross_building(self):
            raise ConanInvalidConfiguration("scripts/capi builds for the Linux that it runs on")

    # It is C: no compiler or build type changes the package.
    def package_id(self):
        del self.info.settings.compiler, self.info.settings.build_type

    def build(self):
        self.run("env -u CARGO_TARGET_DIR scripts/capi build")

    def package(self):
        self.run(f"env -u CARGO_TARGET_DIR -u LIBDIR -u DESTDIR PREFIX='{self.package_folder}' scripts/capi install")
        for texts, folder in ("LICENSE-*", self.source_folder), ("NOTICES", os.path.join(self.package_folder, "share/doc/wegman")):
            copy(self, texts, folder, os.path.join(self.package_folder, "licenses"))
        rm(self, "*.a" if self.options.shared else "*.so*", os.path.join(self.package_folder, "lib"))
        # Conan writes its own files for CMake and pkg-config.
        for folder in "lib/cmake", "lib/pkgconfig", "share":
            rmdir(self, os.path.join(self.package_folder, folder))

    def package_info(self):
        for name, library, needed in ("wegman", "wegman", []), ("catalogue", "wegman-catalogue", ["wegman"]):
            component = self.cpp_info.components[name]
            component.libs, component.requires = [library], needed
            component.set_property("pkg_config_name", library)
            if not self.options.shared:
                component.system_libs = ["gcc_eh", "util", "rt", "pthread", "m", "dl", "c"]
