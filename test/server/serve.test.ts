import type { X509Certificate } from "node:crypto"
import { hostname, networkInterfaces } from "node:os"
import { connect } from "node:tls"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { InvalidOptions, openCluster } from "../../src/index.ts"
import { openTestServer } from "./testServer.ts"
import type { ServeOptions } from "../../src/index.ts"

describe("the options of serve", () => {
  it.each([
    {
      options: { token: "" },
      says: 'token must be a text of visible ASCII characters, one at least, not ""',
      why: "an empty token is no secret"
    },
    {
      options: { token: "a b" },
      says: "token must be a text of visible ASCII characters, one at least",
      why: "a token with a space breaks its header"
    },
    {
      options: { token: "geheimnisträger" },
      says: "token must be a text of visible ASCII characters, one at least",
      why: "a header cannot carry such a token"
    },
    {
      options: { name: "A b\nc: d" },
      says:
        "name must be a name of lower-case letters, digits and hyphens, at most 42 characters long, " +
        'not "A b\\nc: d"',
      why: "the name is a context in a kubeconfig"
    },
    { options: { port: 99_999 }, says: "port must be an integer from 0 to 65535, not 99999", why: "no port" },
    { options: { port: "80" }, says: 'port must be an integer from 0 to 65535, not "80"', why: "a string" },
    { options: { host: "" }, says: 'host must be a host name or an address, not ""', why: "an empty host" },
    { options: { tls: "no" }, says: 'tls must be true or false, not "no"', why: "a string" },
    { options: { page: "/" }, says: 'page must be true or false, not "/"', why: "a string" },
    {
      options: { pagePort: 1.5 },
      says: "pagePort must be an integer from 0 to 65535, not 1.5",
      why: "an invalid port of the page"
    },
    {
      options: { authenticationTimeout: 0, idleTimeout: "soon" },
      says:
        'authenticationTimeout must be from 1ms to 24 days, in milliseconds or as in "2s", not 0; ' +
        'idleTimeout must be from 1ms to 24 days, in milliseconds or as in "2s", not "soon"',
      why: "an invalid duration"
    },
    {
      options: { connectionsMax: 0, unauthenticatedMax: Infinity },
      says:
        "connectionsMax must be an integer above 0, not 0; " +
        "unauthenticatedMax must be an integer above 0, not Infinity",
      why: "counts must be positive and finite"
    },
    {
      options: { hots: "0.0.0.0" },
      says:
        "hots is no option of serve: the options are host, port, name, tls, token, page, pagePort, " +
        "authenticationTimeout, idleTimeout, connectionsMax, unauthenticatedMax",
      why: "an unknown option"
    },
    {
      options: { port: -1, tls: 1 },
      says: "port must be an integer from 0 to 65535, not -1; tls must be true or false, not 1",
      why: "all mistakes are told together"
    },
    { options: null, says: "the options must be an object, not null", why: "no options" }
  ])("are refused when $options: $why", async ({ options, says }) => {
    await using cluster = await openCluster()
    const refused = await cluster.serve(options as ServeOptions).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(InvalidOptions)
    expect(refused).toMatchObject({ message: says })
  })
})

describe("the token of a served cluster", () => {
  it.each([
    { options: { token: "of-my-own" }, says: /^of-my-own$/, why: "given" },
    { options: {}, says: /^[\w-]{32}$/, why: "made for this server" }
  ])("is the one that its clients send: $why", async ({ options, says }) => {
    await using cluster = await openCluster()
    const {
      url,
      token,
      kubeconfig
    }: { readonly url: string; readonly token: string; readonly kubeconfig: string } = await cluster.serve({
      tls: false,
      ...options
    })
    expect(token).toMatch(says)
    expect(parse(kubeconfig)).toMatchObject({ users: [{ user: { token } }] })
    const codeWith = async (sent: string) =>
      (await fetch(`${url}/api`, { headers: { authorization: `Bearer ${sent}` } })).status
    expect([await codeWith(token), await codeWith(`${token}x`)]).toEqual([200, 401])
  })
})

describe("the page of a served cluster", () => {
  it("needs no token at its address, while its data does", async () => {
    await using cluster = await openCluster()
    const { page = "", url, token } = await cluster.serve({ tls: false, page: true })
    expect(page).toBe(`${url}/charthouse/#token=${token}`)
    const [shown, clock] = await Promise.all([fetch(page), fetch(`${url}/charthouse/v1/clock`)])
    expect({ shown: shown.status, clock: clock.status }).toEqual({ shown: 200, clock: 401 })
    expect(await shown.text()).toContain("/charthouse/page.js")
  })

  it("exists only on request", async () => {
    await using cluster = await openCluster()
    const { page, url } = await cluster.serve({ tls: false })
    expect(page).toBeUndefined()
    expect((await fetch(`${url}/charthouse/`)).status).not.toBe(200)
  })
})

describe("a server on 0.0.0.0", () => {
  it("has a certificate for all names and addresses of the machine, and a kubeconfig that reaches it", async () => {
    await using cluster = await openCluster()
    const { url, kubeconfig, ca = "" } = await cluster.serve({ host: "0.0.0.0" })
    const { hostname: reached, port } = new URL(url)
    expect(reached).toBe("127.0.0.1")
    expect(parse(kubeconfig)).toMatchObject({ clusters: [{ cluster: { server: url } }] })
    const certificate = await certificateOf(Number(port), ca)
    const addresses = Object.values(networkInterfaces()).flatMap((all = []) => all.map((it) => it.address))
    expect(addresses.filter((address) => certificate.checkIP(address) === undefined)).toEqual([])
    expect(certificate.checkHost(hostname())).toBe(hostname())
  })

  it("answers to the machine's host name and addresses, and to no other host", async () => {
    await using world = await openTestServer({ serve: { host: "0.0.0.0" } })
    const called = (host: string) => world.request("GET", "/version", { headers: { host } })
    expect(await called(hostname().toUpperCase())).toMatchObject({ code: 200 })
    expect(await called("10.1.2.3:8080")).toMatchObject({ code: 200 })
    expect(await called("elsewhere.example")).toMatchObject({ code: 403 })
  })
})

describe("a server on the loopback address", () => {
  it.each(["localhost", "127.0.0.1"])("has the given host in its URL: %s", async (host) => {
    await using cluster = await openCluster()
    const { url } = await cluster.serve({ host })
    expect(new URL(url).hostname).toBe(host)
  })

  it("does not answer to the machine's host name", async () => {
    await using world = await openTestServer()
    const headers = { host: `${hostname()}.elsewhere.example` }
    expect(await world.request("GET", "/version", { headers })).toMatchObject({ code: 403 })
  })
})

const certificateOf = (port: number, ca: string): Promise<X509Certificate> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, ca }, () => {
      const certificate = socket.getPeerX509Certificate()
      socket.destroy()
      if (certificate === undefined) reject(new Error("the server has shown no certificate"))
      else resolve(certificate)
    })
    socket.on("error", reject)
  })
