import { badRequest } from "./statuses.ts"
import { parseTarget } from "./requestTarget.ts"
import type { RequestTarget } from "./requestTarget.ts"

interface ParsedUrl {
  readonly url: URL
  readonly target: RequestTarget
}

/** Parsing a URL takes as long as reading an object, and clients repeat the same URLs. */
const parsedUrls = new Map<string, ParsedUrl>()
const parsedUrlsMax = 1000
/** A longer URL, such as one with a continue token, is not cached. */
const cachedUrlLengthMax = 256

/** Throws a `Refusal` for a path that cannot be read. */
export const parseUrl = (requestUrl = "/"): ParsedUrl => {
  const cached = parsedUrls.get(requestUrl)
  if (cached !== undefined) return cached
  // URL would parse `//x` as a host name.
  const url = URL.parse(
    requestUrl.startsWith("//") ? `http://server${requestUrl}` : requestUrl,
    "http://server"
  )
  const target = url === null ? undefined : parseTarget(url.pathname)
  if (url === null || target === undefined) throw badRequest("the path of the request cannot be read")
  const parsed = { url, target }
  if (requestUrl.length > cachedUrlLengthMax) return parsed
  if (parsedUrls.size >= parsedUrlsMax) parsedUrls.clear()
  parsedUrls.set(requestUrl, parsed)
  return parsed
}
