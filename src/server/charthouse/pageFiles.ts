import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import type { IncomingMessage, ServerResponse } from "node:http"

/**
 * Serves the built web page. Its files contain no cluster data and need no token; the page's script calls the API with
 * the token as any client does.
 *
 *   GET /charthouse/                   the page
 *   GET /charthouse/page.js, .css
 *   GET /charthouse/charts/NAME.svg    a drawn statechart
 */
export interface PageFiles {
  /** Answers a request for one of the page's files; returns false for any other request and leaves it alone. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => boolean
  readonly hasFile: (request: IncomingMessage) => boolean
}

export const pageUrlPath = "/charthouse/"

interface PageFile {
  readonly type: string
  readonly plain: Buffer
  readonly gzipped: Buffer
}

/** Content security policy: own scripts, styles and images, and requests to this server only. */
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

const contentTypes: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml; charset=utf-8"
}

export const readPageFiles = (buildFolder: string): PageFiles | undefined => {
  const folder = join(buildFolder, "page")
  if (!existsSync(join(folder, "index.html"))) return undefined
  const charts = join(buildFolder, "charts")
  const drawings = existsSync(charts) ? readdirSync(charts).filter((name) => name.endsWith(".svg")) : []
  const fileByPath = new Map([
    [pageUrlPath, join(folder, "index.html")],
    ...["page.js", "page.css"].map((name) => [`${pageUrlPath}${name}`, join(folder, name)] as const),
    ...drawings.map((name) => [`${pageUrlPath}charts/${name}`, join(charts, name)] as const)
  ])
  const cachedFiles = new Map<string, PageFile>()
  const fileAt = (path: string, filePath: string): PageFile => {
    const cached = cachedFiles.get(path)
    if (cached !== undefined) return cached
    const plain = readFileSync(filePath)
    const file = {
      type: contentTypes[filePath.split(".").at(-1) ?? ""] ?? "text/plain",
      plain,
      gzipped: gzipSync(plain)
    }
    cachedFiles.set(path, file)
    return file
  }
  const hasFile = ({ url = "" }: IncomingMessage): boolean => fileByPath.has(urlPathOf(url))
  return {
    hasFile,
    answer: (request, response) => {
      const path = urlPathOf(request.url ?? "")
      const filePath = fileByPath.get(path)
      if (filePath === undefined) return false
      if (request.method !== "GET" && request.method !== "HEAD") {
        response.writeHead(405, { ...headers, allow: "GET, HEAD" }).end()
        return true
      }
      const file = fileAt(path, filePath)
      const acceptsGzip = /\bgzip\b/.test(request.headers["accept-encoding"]?.toString() ?? "")
      const body = acceptsGzip ? file.gzipped : file.plain
      response.writeHead(200, {
        ...headers,
        "content-type": file.type,
        "content-length": body.length,
        ...(acceptsGzip ? { "content-encoding": "gzip" } : {})
      })
      response.end(request.method === "HEAD" ? undefined : body)
      return true
    }
  }
}

const urlPathOf = (url: string): string => {
  const [path = ""] = url.split("?")
  return path === "/charthouse" ? pageUrlPath : path
}
