import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { readCredentials } from "../../src/client/credentials.ts"
import { UnusableKubeconfig } from "../../src/client/clientErrors.ts"
import { readKubeContext } from "../../src/client/kubeContext.ts"
import { makeContextKubeconfig } from "../../src/client/contextKubeconfig.ts"

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "charthouse-remote-"))
})
afterEach(() => rmSync(folder, { recursive: true }))

const write = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const errorOf = (read: () => unknown): unknown => {
  try {
    return read()
  } catch (error) {
    return error
  }
}

const config = ({
  server = "https://one.example:6443/",
  user = "{ token: secret }",
  more = ""
} = {}): string => `
apiVersion: v1
kind: Config
current-context: one
contexts:
  - { name: one, context: { cluster: c, user: u, namespace: team } }
  - { name: two, context: { cluster: c, user: u } }
  - { name: astray, context: { cluster: gone, user: u } }
clusters:
  - { name: c, cluster: { server: "${server}", tls-server-name: inner.example, insecure-skip-tls-verify: true ${more} } }
users:
  - { name: u, user: ${user} }
`

describe("a kubeconfig", () => {
  it("gives server, namespace and user of its current context, or of a given one", () => {
    const path = write("config", config())
    expect(readKubeContext({ path, env: {} })).toMatchObject({
      name: "one",
      url: "https://one.example:6443",
      namespace: "team",
      skipsTlsVerify: true,
      serverName: "inner.example",
      ca: undefined
    })
    expect(readKubeContext({ path, context: "two", env: {} })).toMatchObject({
      name: "two",
      namespace: "default"
    })
  })

  it("is found where kubectl looks, and the first of several files wins", () => {
    const users = write("users", "users: [{ name: u, user: { token: first } }]\ncurrent-context: two\n")
    const path = write("config", config())
    const env = { KUBECONFIG: [users, path].join(delimiter) }
    const { name, user } = readKubeContext({ env })
    expect([name, user.fields]).toEqual(["two", { token: "first" }])
  })

  it("adds no fields to an entry of an earlier file, as `kubectl config view` shows", () => {
    const text = `
clusters: [{ name: c, cluster: { server: "http://first.example" } }]
contexts: [{ name: one, context: { cluster: c, user: u } }]
users: [{ name: u, user: { username: me } }]
`
    const KUBECONFIG = [write("first", text), write("second", config())].join(delimiter)
    expect(readKubeContext({ env: { KUBECONFIG } })).toMatchObject({
      name: "one",
      url: "http://first.example",
      namespace: "default",
      skipsTlsVerify: false,
      serverName: undefined,
      user: { fields: { username: "me" } }
    })
  })

  it("may be listed with missing and empty files", () => {
    const empty = write("empty", "# to come\n")
    const [missing, gone] = [join(folder, "missing"), join(folder, "gone")]
    const KUBECONFIG = [missing, empty, write("config", config())].join(delimiter)
    expect(readKubeContext({ env: { KUBECONFIG } }).name).toBe("one")
    const none = errorOf(() => readKubeContext({ env: { KUBECONFIG: [missing, gone].join(delimiter) } }))
    expect(none).toEqual(new UnusableKubeconfig(`${missing}, ${gone}: there is no such kubeconfig`))
    const error = errorOf(() => readKubeContext({ path: missing, env: { KUBECONFIG } }))
    expect(error).toEqual(new UnusableKubeconfig(`${missing}: there is no such kubeconfig`))
  })

  it("may reference files beside it", async () => {
    write("ca.pem", "CA")
    write("me.crt", "CERT")
    write("me.key", "KEY")
    write("token", "from-a-file\n")
    const user = "{ tokenFile: token, token: ignored, client-certificate: me.crt, client-key: me.key }"
    const path = write("config", config({ user, more: ", certificate-authority: ca.pem" }))
    const context = readKubeContext({ path, env: {} })
    expect(context.ca).toBe("CA")
    expect(await readCredentials(context.user)).toEqual({
      authorization: "Bearer from-a-file",
      certificate: "CERT",
      key: "KEY"
    })
    const moved = write("elsewhere", makeContextKubeconfig(context, "other"))
    const again = readKubeContext({ path: moved, env: {} })
    expect(again).toMatchObject({
      url: context.url,
      namespace: "other",
      ca: "CA",
      serverName: "inner.example"
    })
    expect(await readCredentials({ ...again.user, folder: tmpdir() })).toMatchObject({ certificate: "CERT" })
  })

  it("may have an exec plugin for the token, whose failure is reported", async () => {
    const program = write("login", '#!/bin/sh\nprintf \'{"status":{"token":"%s-%s"}}\' "$1" "$REGION"\n')
    chmodSync(program, 0o700)
    const exec = "{ command: ./login, args: [made], env: [{ name: REGION, value: north }] }"
    const path = write("config", config({ user: `{ exec: ${exec} }` }))
    const { user } = readKubeContext({ path, env: {} })
    expect(await readCredentials(user)).toMatchObject({ authorization: "Bearer made-north" })
    const other = readKubeContext({
      path: write("bad", config({ user: "{ exec: { command: no-such-program } }" })),
      env: {}
    })
    await expect(readCredentials(other.user)).rejects.toThrow(
      /^user "u": "no-such-program" gave no credentials: .*ENOENT/
    )
  })

  it("may have username and password, and is refused with an auth-provider", async () => {
    const named = readKubeContext({
      path: write("a", config({ user: "{ username: me, password: pw }" })),
      env: {}
    })
    expect(await readCredentials(named.user)).toMatchObject({ authorization: "Basic bWU6cHc=" })
    const old = readKubeContext({
      path: write("b", config({ user: "{ auth-provider: { name: gcp } }" })),
      env: {}
    })
    await expect(readCredentials(old.user)).rejects.toThrow("auth-provider is no longer part of Kubernetes")
  })

  const unusableFiles: ReadonlyArray<{
    readonly why: string
    readonly text: string
    readonly context?: string
    readonly words: string
  }> = [
    { why: "no YAML", text: "a: [", words: "the kubeconfig cannot be read: " },
    { why: "an empty file", text: "", words: "no context is the current one" },
    { why: "a list", text: "[]", words: "this is no kubeconfig" },
    { why: "no current context", text: "clusters: []", words: "no context is the current one" },
    {
      why: "two entries of one name, which kubectl ignores",
      text: "users: [{ name: u, user: {} }, { name: v, user: {} }, { name: u, user: {} }]",
      words: 'duplicate name "u" in users'
    },
    {
      why: "an unknown context",
      text: config(),
      context: "three",
      words: 'there is no context "three": there is one, two, astray'
    },
    {
      why: "a missing cluster",
      text: config(),
      context: "astray",
      words: 'cluster "gone", which is not there'
    },
    { why: "no URL", text: config({ server: "nowhere" }), words: 'cluster "c": server "nowhere" is no URL' },
    {
      why: "a proxy",
      text: config({ more: ", proxy-url: http://proxy" }),
      words: "proxy-url is not supported"
    },
    {
      why: "a missing file",
      text: config({ more: ", certificate-authority: none.pem" }),
      words: "a file that the kubeconfig names cannot be read"
    }
  ]
  it("that is unusable is refused with the reason and its path", () => {
    for (const { why, text, context, words } of unusableFiles) {
      const path = write("config", text)
      const read = () => readKubeContext({ path, context, env: {} })
      const error = errorOf(read)
      expect({ why, isOurs: error instanceof UnusableKubeconfig }).toEqual({ why, isOurs: true })
      expect(String(error)).toContain(words)
      expect(String(error)).toContain(folder)
    }
  })
})
