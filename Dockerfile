# Not run by the project's tests: `make dist` proves the same binary in a clean Debian root instead.
#
#   make dist
#   docker build --tag till .
#   docker run --volume till-data:/data till --version
#
# The binary needs the C library of the Debian release it was built on, or a newer one: build on Debian bookworm, or name
# your own release below.
FROM debian:bookworm-slim

# Till runs without rights of its own; the folder for its data belongs to it alone.
RUN install --directory --owner=65532 --group=65532 --mode=0700 /data
COPY --chmod=0755 dist/till /usr/local/bin/till
USER 65532:65532
VOLUME /data

ENTRYPOINT ["/usr/local/bin/till"]
CMD ["serve", "--data", "/data"]
