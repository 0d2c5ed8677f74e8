import { embeddedPage } from "../../generated/embeddedPage.ts"
import { readEmbeddedFile, type LoadEmbeddedFile } from "../../platform/embeddedFile.ts"
import type { IncomingMessage, ServerResponse } from "node:http"

/**
 * The page's files contain no cluster data and need no token.
 *
 *   GET /charthouse/                   the page
 *   GET /charthouse/page.js, page-….js, page.css
 *   GET /charthouse/charts/NAME.svg    a drawn statechart
 */
export interface PageFiles {
  /** Returns false, without an answer, for any other path. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => boolean
  readonly hasFile: (request: IncomingMessage) => boolean
}

export const pageUrlPath = "/charthouse/"

interface PageFile {
  readonly type: string
  readonly load: LoadEmbeddedFile
}

const securityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

const headers: Readonly<Record<string, string>> = {
  "content-security-policy": securityPolicy,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
  vary: "accept-encoding"
}

const fileByPath: ReadonlyMap<string, PageFile> = new Map([
  [pageUrlPath, { type: "text/html; charset=utf-8", load: embeddedPage.document }],
  [`${pageUrlPath}page.css`, { type: "text/css; charset=utf-8", load: embeddedPage.style }],
  ...Object.entries(embeddedPage.scripts).map(
    ([name, load]) => [`${pageUrlPath}${name}`, { type: "text/javascript; charset=utf-8", load }] as const
  ),
  ...Object.entries(embeddedPage.charts).map(
    ([name, load]) =>
      [`${pageUrlPath}charts/${name}.svg`, { type: "image/svg+xml; charset=utf-8", load }] as const
  )
])

export const pageFiles: PageFiles = {
  hasFile: ({ url = "" }) => fileByPath.has(urlPathOf(url)),
  answer: (request, response) => {
    const file = fileByPath.get(urlPathOf(request.url ?? ""))
    if (file === undefined) return false
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.writeHead(405, { ...headers, allow: "GET, HEAD" }).end()
      return true
    }
    sendFile(file, request, response).catch((error: unknown) => response.destroy(error as Error))
    return true
  }
}

const sendFile = async (
  { type, load }: PageFile,
  request: IncomingMessage,
  response: ServerResponse
): Promise<void> => {
  const { plain, gzipped } = await readEmbeddedFile(load)
  const acceptsGzip = /\bgzip\b/.test(request.headers["accept-encoding"]?.toString() ?? "")
  const body = acceptsGzip ? gzipped : plain
  response.writeHead(200, {
    ...headers,
    "content-type": type,
    "content-length": body.length,
    ...(acceptsGzip ? { "content-encoding": "gzip" } : {})
  })
  response.end(request.method === "HEAD" ? undefined : body)
}

const urlPathOf = (url: string): string => {
  const [path = ""] = url.split("?")
  return path === "/charthouse" ? pageUrlPath : path
}
