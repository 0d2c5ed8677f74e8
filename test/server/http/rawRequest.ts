import { connect } from "node:net"

interface RawReply {
  readonly text: string
  /** Status code of the first answer; 0 without an answer. */
  readonly code: number
  readonly codes: ReadonlyArray<number>
  readonly isClosed: boolean
}

/** Sends raw bytes. Disconnects after the answer, or after `waitMillis`. */
export const sendRaw = (
  port: number,
  pieces: string | ReadonlyArray<string | Buffer>,
  options: { readonly waitMillis?: number; readonly hangsUp?: boolean; readonly answers?: number } = {}
): Promise<RawReply> =>
  new Promise((resolve) => {
    const { waitMillis = 2000, hangsUp = false, answers = 1 } = options
    const socket = connect(port, "127.0.0.1")
    let text = ""
    const finish = (isClosed: boolean): void => {
      clearTimeout(timer)
      socket.destroy()
      const codes = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => Number(code))
      resolve({ text, codes, code: codes.at(0) ?? 0, isClosed })
    }
    const timer = setTimeout(() => finish(false), waitMillis)
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1")
      if ([...text.matchAll(/HTTP\/1\.1 [2-5]\d\d/g)].length >= answers && text.includes("\r\n\r\n")) {
        // Gives the rest of the answer time to arrive.
        setImmediate(() => finish(false))
      }
    })
    socket.on("error", () => finish(true))
    socket.on("close", () => finish(true))
    for (const piece of typeof pieces === "string" ? [pieces] : pieces) socket.write(piece)
    if (hangsUp) socket.end()
  })

/** A watch of all ConfigMaps that is not read until `rest` is called. */
export const stuckWatch = (port: number, token: string): Promise<{ readonly rest: () => Promise<string> }> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    const chunks: Array<Buffer> = []
    const rest = (): Promise<string> =>
      new Promise((told) => {
        socket.on("data", (chunk: Buffer) => chunks.push(chunk))
        socket.on("close", () => told(Buffer.concat(chunks).toString("latin1")))
        socket.resume()
      })
    socket.on("error", () => socket.destroy())
    // The watch has begun when its first bytes come.
    socket.once("data", (first: Buffer) => {
      socket.pause()
      chunks.push(first)
      resolve({ rest })
    })
    const head = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n`
    socket.write(`GET /api/v1/configmaps?watch=1 HTTP/1.1\r\n${head}Connection: close\r\n\r\n`)
  })
