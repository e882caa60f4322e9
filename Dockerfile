# The published package on Node, without npm: docker build --build-arg VERSION=1.0.0 --tag gateway-understudy .
# Every flag has an environment variable, such as UNDERSTUDY_SEED for --seed.
FROM node:24-slim AS install
ARG VERSION=latest
WORKDIR /app
RUN npm install --omit=dev --omit=peer --no-audit --no-fund "gateway-understudy@${VERSION}"

FROM gcr.io/distroless/nodejs24-debian12:nonroot
COPY --from=install /app /app
ENV UNDERSTUDY_HOST=0.0.0.0 UNDERSTUDY_PORT=4141
EXPOSE 4141
HEALTHCHECK --interval=5s --timeout=2s CMD ["/nodejs/bin/node", "-e", "fetch('http://127.0.0.1:4141/__understudy/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/nodejs/bin/node", "/app/node_modules/gateway-understudy/dist/bin.js"]
