import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterEach, describe, expect, it, vi } from "vitest"
import { readOrCreateToken } from "../../src/cli/up/tokenFile.ts"
import { aFolder } from "./kubeconfigs.ts"
import { aFreePort, get, up } from "./serving.ts"

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8)

/** What comes of the file, and what is said on the standard error. */
const read = async (file: string) => {
  const said = vi.spyOn(process.stderr, "write").mockReturnValue(true)
  const token = await Effect.runPromise(
    Effect.catchTag(readOrCreateToken(file), "BadInput", ({ lines }) => Effect.succeed(lines))
  )
  return { token, said: said.mock.calls.map(([text]) => String(text)).join("") }
}

describe("a token file", () => {
  afterEach(() => void vi.restoreAllMocks())

  it("is made for its owner alone where it is missing, and holds the same token from then on", async () => {
    const folder = aFolder()
    const file = join(folder, "token")
    const made = await read(file)
    expect(made).toEqual({ token: expect.stringMatching(/^[\w-]{32}$/), said: "" })
    expect([readdirSync(folder), modeOf(file)]).toEqual([["token"], "600"])
    expect(await read(file)).toEqual(made)
  })

  it("of the user's own is read without the white space around it, and stays as it is", async () => {
    const file = join(aFolder(), "token")
    writeFileSync(file, " s3cret\r\n", { mode: 0o400 })
    expect(await read(file)).toEqual({ token: "s3cret", said: "" })
    expect(readFileSync(file, "utf8")).toBe(" s3cret\r\n")
  })

  it("that other users can read is used, with a warning", async () => {
    const file = join(aFolder(), "token")
    writeFileSync(file, "s3cret")
    chmodSync(file, 0o640)
    const said = `warning: other users can read or change ${file} (mode 640), and its token lets them in: chmod 600 ${file}\n`
    expect(await read(file)).toEqual({ token: "s3cret", said })
  })

  it.each([
    {
      why: "nothing",
      text: "\n",
      says: 'token must be a text of visible ASCII characters, one at least, not ""'
    },
    {
      why: "two words, and shows none of them",
      text: "s3cret words",
      says: "token must be a text of visible ASCII characters, one at least"
    }
  ])("is refused that holds $why", async ({ text, says }) => {
    const file = join(aFolder(), "token")
    writeFileSync(file, text, { mode: 0o600 })
    expect(await read(file)).toEqual({ token: [`error: --token-file ${file}: ${says}`], said: "" })
    expect(readFileSync(file, "utf8")).toBe(text)
  })

  it("is refused that cannot be made, or is a folder", async () => {
    const folder = aFolder()
    const nowhere = join(folder, "none", "token")
    expect([await read(nowhere), await read(folder)]).toMatchObject([
      { token: [`error: --token-file ${nowhere} cannot be written: there is no such place`] },
      { token: [`error: --token-file ${folder}: it is a folder`] }
    ])
  })
})

describe("charthouse up with a token file", () => {
  it("has its page at the same address when it is started again, and lets the same clients in", async () => {
    const at = (name: string): string => join(folder, name)
    const folder = aFolder()
    const place = ["--page-port", String(await aFreePort()), "--token-file", at("token")]
    const addressOf = async () => {
      const server = await up([...place, "--kubeconfig", at("config")], /Ctrl-C ends it/)
      const [, page = ""] = /# page {2}(\S+)/.exec(server.printed()) ?? []
      const [base = "", token = ""] = page.split("/charthouse/#token=")
      const { status } = await get(base, token, "/version")
      await server.end("SIGINT")
      return { page, status }
    }
    const first = await addressOf()
    expect(first).toEqual({ page: expect.stringMatching(/#token=\S+$/), status: 200 })
    expect(await addressOf()).toEqual(first)
  })
})
