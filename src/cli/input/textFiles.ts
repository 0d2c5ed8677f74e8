import * as Effect from "effect/Effect"
import { readFile } from "node:fs/promises"
import { text as textOf } from "node:stream/consumers"
import { BadInput } from "./badInput.ts"
import { systemErrorText } from "../../platform/systemErrorText.ts"

/** Messages refer to the text by `name`. */
export interface TextFile {
  readonly name: string
  readonly text: string
}

/** Fails with the errors of all unreadable sources. `-` is standard input. */
export const readTextFiles = Effect.fnUntraced(function* (
  sources: ReadonlyArray<string | TextFile>
): Effect.fn.Return<ReadonlyArray<TextFile>, BadInput> {
  const files: Array<TextFile> = []
  const lines: Array<string> = []
  for (const source of sources) {
    if (typeof source !== "string") {
      files.push(source)
      continue
    }
    const file = yield* Effect.result(Effect.tryPromise(() => readText(source)))
    if (file._tag === "Success")
      files.push({ name: source === "-" ? "standard input" : source, text: file.success })
    else lines.push(`error: ${unreadableText(source, file.failure.cause)}`)
  }
  return lines.length === 0 ? files : yield* new BadInput({ lines })
})

/** Source: cli-runtime/pkg/resource/builder.go (StdinMultiUseError). */
export const checkStdinUsedOnce = (
  sources: ReadonlyArray<string | TextFile>
): Effect.Effect<void, BadInput> =>
  sources.filter((source) => source === "-").length > 1
    ? Effect.fail(new BadInput({ lines: ["error: standard input cannot be used for multiple arguments"] }))
    : Effect.void

/** Source: cli-runtime/pkg/resource/builder.go (FilenameParam). */
export const isUrl = (path: string): boolean => path.startsWith("http://") || path.startsWith("https://")

const readText = async (path: string): Promise<string> => {
  const text = isUrl(path)
    ? await fetchText(path)
    : path === "-"
      ? await textOf(process.stdin)
      : await readFile(path, "utf8")
  return text.startsWith("\uFEFF") ? text.slice(1) : text
}

/** The most requests of a URL whose server answers with 5xx. */
const requestsMax = 3
const fetchTimeoutMillis = 30_000

/** Source: cli-runtime/pkg/resource/visitor.go (readHttpWithRetries). */
const fetchText = async (url: string): Promise<string> => {
  let errorResponse: Response | undefined
  for (let requestCount = 1; requestCount <= requestsMax; requestCount += 1) {
    const response = await fetch(url, { signal: AbortSignal.timeout(fetchTimeoutMillis) })
    if (response.ok) return response.text()
    errorResponse = response
    if (response.status < 500) break
  }
  throw new UnreadableUrl(errorResponse)
}

class UnreadableUrl extends Error {
  constructor(response: Response | undefined) {
    super(`server reported ${response?.status} ${response?.statusText}, status code=${response?.status}`)
  }
}

/** Source: cli-runtime/pkg/resource/builder.go and visitor.go. */
const unreadableText = (path: string, cause: unknown): string => {
  if (isUrl(path)) {
    // Node's fetch wraps the error of the connection.
    const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
    return `unable to read URL ${JSON.stringify(path)}, ${systemErrorText(reason)}`
  }
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  if (code === "ENOENT") return `the path ${JSON.stringify(path)} does not exist`
  if (code === "EISDIR") return `the path ${JSON.stringify(path)} is a directory, and only files are read`
  return `the path ${JSON.stringify(path)} cannot be read: ${systemErrorText(cause)}`
}
