# Not run by the project's tests: `make dist` proves the same binary in a clean Debian root instead.
#
#   make dist
#   docker build --tag till .
#   docker run --volume till-data:/data --publish 127.0.0.1:8888-8890:8888-8890 till
#
# The ports are the production realm, the sandbox realm and control. Control asks for the token in /data/control-token,
# because inside a container it cannot listen on loopback.
#
# The binary needs the C library of the Debian release it was built on, or a newer one: build on Debian bookworm, or
# name your own release below.
FROM debian:bookworm-slim

# Till runs without rights of its own; the folder for its data belongs to it alone.
RUN install --directory --owner=65532 --group=65532 --mode=0700 /data
COPY --chmod=0755 dist/till /usr/local/bin/till
USER 65532:65532
VOLUME /data
EXPOSE 8888 8889 8890

ENTRYPOINT ["/usr/local/bin/till"]
CMD ["serve", "--data", "/data", "--host", "0.0.0.0", "--control-address", "0.0.0.0"]
