# SPDX-License-Identifier: MIT
#
# Builds one small image without a shell, with all programs of apps/:
#
#   docker build -t volt .
#   docker run --rm -p 8080:8080 volt hello
#
# See README.md. It has no cache mounts, so that Docker's legacy builder and podman can build it as well. It is for every
# processor that Debian and clang support: `docker buildx build --platform linux/arm64 .` builds it for ARM64. Each stage
# runs on the processor of the image (rejected: a cross build, which needs a second set of packages and cannot use ldd).

FROM debian:trixie-slim AS build
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
  clang-19 lld-19 llvm-19 cmake ninja-build libllhttp-dev liburing-dev libc-ares-dev libssl-dev libargon2-dev libcli11-dev \
  libtomlplusplus-dev libsimdjson-dev zlib1g-dev libbrotli-dev libzstd-dev libsqlite3-dev libpq-dev libhiredis-dev ca-certificates
WORKDIR /volt
COPY . .
# VOLT_FAST_BUILD compiles several files as one object; with sections, the linker still removes unused functions.
RUN cmake --preset release -DVOLT_TESTS=OFF -DVOLT_BENCHMARKS=OFF -DVOLT_WERROR=OFF -DVOLT_FAST_BUILD=ON \
  -DCMAKE_CXX_FLAGS="-ffunction-sections -fdata-sections" -DCMAKE_EXE_LINKER_FLAGS=-Wl,--gc-sections \
  && cmake --build build/release
# The content of the image. The programs share the libraries, each in the folder where the loader finds it.
RUN set -eu; image=/image; mkdir -p $image/bin $image/etc $image/srv $image/data/uploads; mkdir -m 1777 $image/tmp; \
  for program in build/release/bin/*; do \
    llvm-strip-19 -o "$image/bin/${program##*/}" "$program"; \
  done; \
  ldd $image/bin/* | grep -o '/[^ ]*\.so[^ ]*' | sort -u | while read -r library; do \
    install -D "$library" "$image$library"; \
  done; \
  install -D --mode 644 -t $image/etc/ssl/certs /etc/ssl/certs/ca-certificates.crt; \
  cp -r apps/files/public $image/srv/; \
  cp -r apps/links/public $image/srv/links; \
  echo 'volt:x:65532:65532::/data:/none' >$image/etc/passwd; \
  echo 'volt:x:65532:' >$image/etc/group; \
  chown -R 65532:65532 $image/data

FROM scratch
COPY --from=build /image /
USER 65532:65532
WORKDIR /data
VOLUME /data
ENV PATH=/bin \
  SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt \
  VOLT_OPS_LISTEN=127.0.0.1:9090 \
  FILES_FOLDER=/srv/public FILES_UPLOADS=/data/uploads \
  CRUD_DB=/data/crud.db \
  LINKS_FOLDER=/data/links LINKS_ASSETS=/srv/links
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s CMD ["hello", "--check-health"]
CMD ["hello"]
