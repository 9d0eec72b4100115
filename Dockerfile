# assay in a container: the command for batch use, and `serve` for the web pages. Build: docker build -t assay .
FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml constraints.txt README.md CHANGELOG.md LICENSE NOTICE ./
COPY src src
RUN python -m venv /opt/assay \
 && /opt/assay/bin/pip install --no-cache-dir --constraint constraints.txt ".[dense,hpo,postgres,report,web]"

FROM python:3.13-slim
RUN useradd --uid 10001 --create-home assay && mkdir /data && chown assay /data
COPY --from=build /opt/assay /opt/assay
ENV PATH=/opt/assay/bin:$PATH PYTHONUNBUFFERED=1 ASSAY_STORE=/data/assay.db ASSAY_CACHE=/data/cache
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8765
ENTRYPOINT ["assay"]
CMD ["--help"]
