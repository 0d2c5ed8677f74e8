import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterEach, describe, expect, it, vi } from "vitest"
import { readOrCreateToken } from "../../../src/cli/up/tokenFile.ts"
import { temporaryFolder } from "../harness/kubeconfigs.ts"
import { aFreePort, fetchWithToken, up } from "../harness/servingCommand.ts"

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8)

/** The token or the errors, and the warnings on standard error. */
const read = async (file: string) => {
  const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true)
  const token = await Effect.runPromise(
    Effect.catchTag(readOrCreateToken(file), "BadInput", ({ lines }) => Effect.succeed(lines))
  )
  return { token, warning: stderr.mock.calls.map(([text]) => String(text)).join("") }
}

describe("a token file", () => {
  afterEach(() => void vi.restoreAllMocks())

  it("is created readable by its owner only if it is missing, and keeps its token", async () => {
    const folder = temporaryFolder()
    const file = join(folder, "token")
    const made = await read(file)
    expect(made).toEqual({ token: expect.stringMatching(/^[\w-]{32}$/), warning: "" })
    expect([readdirSync(folder), modeOf(file)]).toEqual([["token"], "600"])
    expect(await read(file)).toEqual(made)
  })

  it("of the user is read without surrounding white space and left unchanged", async () => {
    const file = join(temporaryFolder(), "token")
    writeFileSync(file, " s3cret\r\n", { mode: 0o400 })
    expect(await read(file)).toEqual({ token: "s3cret", warning: "" })
    expect(readFileSync(file, "utf8")).toBe(" s3cret\r\n")
  })

  it("that other users can read is used, with a warning", async () => {
    const file = join(temporaryFolder(), "token")
    writeFileSync(file, "s3cret")
    chmodSync(file, 0o640)
    const warning = `warning: other users can read or change ${file} (mode 640), and its token lets them in: chmod 600 ${file}\n`
    expect(await read(file)).toEqual({ token: "s3cret", warning })
  })

  it.each([
    {
      why: "no token",
      text: "\n",
      expectedText: 'token must be a text of visible ASCII characters, one at least, not ""'
    },
    {
      why: "two words, which the error does not show",
      text: "s3cret words",
      expectedText: "token must be a text of visible ASCII characters, one at least"
    }
  ])("is refused if it holds $why", async ({ text, expectedText }) => {
    const file = join(temporaryFolder(), "token")
    writeFileSync(file, text, { mode: 0o600 })
    expect(await read(file)).toEqual({ token: [`error: --token-file ${file}: ${expectedText}`], warning: "" })
    expect(readFileSync(file, "utf8")).toBe(text)
  })

  it("is refused if it cannot be created or is a folder", async () => {
    const folder = temporaryFolder()
    const nowhere = join(folder, "none", "token")
    expect([await read(nowhere), await read(folder)]).toMatchObject([
      { token: [`error: --token-file ${nowhere} cannot be written: there is no such place`] },
      { token: [`error: --token-file ${folder}: it is a folder`] }
    ])
  })
})

describe("charthouse up with a token file", () => {
  it("serves its page at the same address after a restart, and accepts the same token", async () => {
    const at = (name: string): string => join(folder, name)
    const folder = temporaryFolder()
    const flags = ["--page-port", String(await aFreePort()), "--token-file", at("token")]
    const addressOf = async () => {
      const server = await up([...flags, "--kubeconfig", at("config")], /Ctrl-C ends it/)
      const [, page = ""] = /# page {2}(\S+)/.exec(server.printed()) ?? []
      const [base = "", token = ""] = page.split("/charthouse/#token=")
      const { status } = await fetchWithToken(base, token, "/version")
      await server.end("SIGINT")
      return { page, status }
    }
    const first = await addressOf()
    expect(first).toEqual({ page: expect.stringMatching(/#token=\S+$/), status: 200 })
    expect(await addressOf()).toEqual(first)
  })
})
