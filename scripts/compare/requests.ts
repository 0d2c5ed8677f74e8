import { manifests } from "./randomWrites.ts"
import { requests } from "./requestList.ts"
import type * as Library from "charthouse"

/** Requests whose answers have to be the same, refusals included. */
export const answersOf = async (
  library: typeof Library
): Promise<ReadonlyArray<readonly [string, string]>> => {
  const cluster = await library.openCluster({ seed: 5, record: true, why: true })
  await cluster.apply(manifests as never)
  await cluster.settle()
  const served = await cluster.serve({ tls: false, token: "compare" })
  const { url } = served
  const answers: Array<readonly [string, string]> = []
  for (const [index, { method, path, body, headers = {} }] of requests.entries()) {
    const text = typeof body === "string" ? body : JSON.stringify(body)
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: "Bearer compare",
        ...(text === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      ...(text === undefined ? {} : { body: text })
    })
    const shown = Array.from(response.headers).filter(
      ([name]) => name !== "date" && name !== "audit-id" && !(name === "etag" && path === "/api")
    )
    const answer = Buffer.from(await response.arrayBuffer())
      .toString("latin1")
      .replaceAll(url, "http://server")
    const headerLines = shown.map(([name, value]) => `${name}: ${value}`)
    answers.push([
      `answer-${String(index).padStart(3, "0")}.txt`,
      [`${method} ${path} ${text ?? ""}`, response.status, ...headerLines, "", answer].join("\n")
    ])
    await cluster.advance(50)
  }
  await cluster.close()
  return answers
}
