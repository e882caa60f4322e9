# The package on Node, without npm: docker build --tag gateway-understudy .
# PACKAGE is a version on npm, such as gateway-understudy@1.0.0, or a file that `npm pack` has created in this folder.
# Every flag has an environment variable, such as UNDERSTUDY_SEED for --seed.
FROM node:24-slim AS install
ARG PACKAGE=gateway-understudy
WORKDIR /app
COPY Dockerfile gateway-understudy-*.tgz ./
RUN npm install --omit=dev --omit=peer --no-audit --no-fund "${PACKAGE}"

FROM gcr.io/distroless/nodejs24-debian12:nonroot
COPY --from=install /app/node_modules /app/node_modules
ENV UNDERSTUDY_HOST=0.0.0.0 UNDERSTUDY_PORT=4141
EXPOSE 4141
HEALTHCHECK --interval=5s --timeout=2s CMD ["/nodejs/bin/node", "-e", "fetch('http://127.0.0.1:4141/__understudy/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/nodejs/bin/node", "/app/node_modules/gateway-understudy/dist/bin.js"]
