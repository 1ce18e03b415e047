# The server in a container. The notes are mounted at /notes, read-only:
#
#   docker build -t note-search-mcp .
#   docker run -i --rm -v "$HOME/notes:/notes:ro" note-search-mcp
#
# Options follow the image's name. Notes that only their owner may read need the owner's number:
# docker run --user "$(id -u):$(id -g)" …

FROM rust:1-slim-trixie AS build
WORKDIR /source
COPY . .
RUN cargo build --release --locked

FROM debian:trixie-slim
# Days are counted in the time zone that TZ names, such as -e TZ=Asia/Shanghai.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends tzdata \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /source/target/release/note-search-mcp /usr/local/bin/note-search-mcp
ENV NOTE_SEARCH_DIR=/notes
VOLUME /notes
USER 65532:65532
ENTRYPOINT ["note-search-mcp"]
