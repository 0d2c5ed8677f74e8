import type { KubeObject } from "charthouse"

/** An answer of the API that is not a success. */
export class ApiError extends Error {
  override readonly name = "ApiError"
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export interface WatchEvent<O> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR"
  readonly object: O
}

export interface ApiClient {
  readonly get: <O extends KubeObject>(path: string) => Promise<O>
  readonly list: <O extends KubeObject>(path: string) => Promise<ObjectList<O>>
  readonly create: (path: string, object: object) => Promise<void>
  readonly replace: (path: string, object: object) => Promise<void>
  readonly delete: (path: string) => Promise<void>
  readonly watch: <O extends KubeObject>(
    path: string,
    resourceVersion: string
  ) => AsyncGenerator<WatchEvent<O>>
}

export interface ObjectList<O> {
  readonly items: ReadonlyArray<O>
  readonly metadata: { readonly resourceVersion: string }
}

/** `send` is `fetch`; a test passes the `fetch` of its cluster, which needs no network. */
export const makeApiClient = (
  send: (request: Request) => Promise<Response>,
  { url, token, signal }: { readonly url: string; readonly token?: string; readonly signal: AbortSignal }
): ApiClient => {
  const request = async (method: string, path: string, body?: object): Promise<Response> => {
    const response = await send(
      new Request(`${url}${path}`, {
        method,
        signal,
        headers: {
          accept: "application/json",
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" })
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    )
    if (response.ok) return response
    const { message = response.statusText } = (await response.json()) as { readonly message?: string }
    throw new ApiError(response.status, message)
  }
  const read = async <A>(path: string): Promise<A> => (await (await request("GET", path)).json()) as A
  const write = async (method: string, path: string, object?: object): Promise<void> => {
    const response = await request(method, path, object)
    await response.body?.cancel()
  }
  return {
    get: read,
    list: read,
    create: (path, object) => write("POST", path, object),
    replace: (path, object) => write("PUT", path, object),
    delete: (path) => write("DELETE", path),
    watch: async function* <O extends KubeObject>(path: string, resourceVersion: string) {
      const query = new URLSearchParams({ watch: "1", resourceVersion, allowWatchBookmarks: "true" })
      const { body } = await request("GET", `${path}?${query.toString()}`)
      if (body === null) return
      let incompleteLine = ""
      for await (const text of body.pipeThrough(new TextDecoderStream())) {
        const lines = `${incompleteLine}${text}`.split("\n")
        incompleteLine = lines.pop() ?? ""
        for (const line of lines) yield JSON.parse(line) as WatchEvent<O>
      }
    }
  }
}
