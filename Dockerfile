# The service with PostgreSQL support. Build with: docker build -t coactor .
# To pin the base: docker buildx imagetools inspect python:3.12-slim --format '{{.Manifest.Digest}}',
# and --build-arg PYTHON=python:3.12-slim@sha256:...
ARG PYTHON=python:3.12-slim
FROM ${PYTHON} AS build
WORKDIR /src
COPY . .
RUN pip wheel --no-cache-dir --wheel-dir /wheels --require-hashes -r requirements-image.txt \
    && pip install --no-cache-dir --no-index --find-links /wheels --upgrade setuptools \
    && pip wheel --wheel-dir /wheels --no-deps --no-build-isolation . \
    && rm /wheels/setuptools-*

FROM ${PYTHON}
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links /wheels 'coactor[serve,postgres]' \
    && useradd --system --home-dir /nonexistent coactor \
    && install --directory --owner coactor /data /cache
USER coactor
ENV COACTOR_STORE=sqlite:////data/coactor.db \
    COACTOR_HOST=0.0.0.0 \
    COACTOR_PORT=8765 \
    COACTOR_LOG_JSON=1 \
    NUMBA_CACHE_DIR=/cache
VOLUME ["/data", "/cache"]
EXPOSE 8765
HEALTHCHECK CMD python -c "import urllib.request as u; u.urlopen('http://127.0.0.1:8765/health')"
ENTRYPOINT ["coactor"]
CMD ["serve"]
