import type { X509Certificate } from "node:crypto"
import { hostname, networkInterfaces } from "node:os"
import { connect } from "node:tls"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { InvalidOptions, openCluster } from "../../src/index.ts"
import { openWorld } from "./world.ts"
import type { ServeOptions } from "../../src/index.ts"

describe("the options of a server", () => {
  it.each([
    {
      options: { token: "" },
      says: 'token must be a text of visible ASCII characters, one at least, not ""',
      why: "everybody would know it"
    },
    {
      options: { token: "a b" },
      says: "token must be a text of visible ASCII characters, one at least",
      why: "a header ends it at the blank, and nobody would ever be let in"
    },
    {
      options: { token: "geheimnisträger" },
      says: "token must be a text of visible ASCII characters, one at least",
      why: "a header cannot carry it"
    },
    {
      options: { name: "A b\nc: d" },
      says:
        "name must be a name of lower-case letters, digits and hyphens, at most 42 characters long, " +
        'not "A b\\nc: d"',
      why: "the context in a kubeconfig is called so"
    },
    { options: { port: 99_999 }, says: "port must be an integer from 0 to 65535, not 99999", why: "no port" },
    { options: { port: "80" }, says: 'port must be an integer from 0 to 65535, not "80"', why: "a text" },
    { options: { host: "" }, says: 'host must be a host name or an address, not ""', why: "nowhere" },
    { options: { tls: "no" }, says: 'tls must be true or false, not "no"', why: "a text that looks false" },
    { options: { page: "/" }, says: 'page must be true or false, not "/"', why: "there is one page" },
    {
      options: { pagePort: 1.5 },
      says: "pagePort must be an integer from 0 to 65535, not 1.5",
      why: "a page has a port like others"
    },
    {
      options: { authenticationTimeout: 0, idleTimeout: "soon" },
      says:
        'authenticationTimeout must be from 1ms to 24 days, in milliseconds or as in "2s", not 0; ' +
        'idleTimeout must be from 1ms to 24 days, in milliseconds or as in "2s", not "soon"',
      why: "no client could keep to it"
    },
    {
      options: { connectionsMax: 0, unauthenticatedMax: Infinity },
      says:
        "connectionsMax must be an integer above 0, not 0; " +
        "unauthenticatedMax must be an integer above 0, not Infinity",
      why: "no client would be served, or any number"
    },
    {
      options: { hots: "0.0.0.0" },
      says:
        "hots is no option of serve: host, port, name, tls, token, page, pagePort, authenticationTimeout, " +
        "idleTimeout, connectionsMax, unauthenticatedMax are",
      why: "a typing mistake would serve elsewhere than was meant"
    },
    {
      options: { port: -1, tls: 1 },
      says: "port must be an integer from 0 to 65535, not -1; tls must be true or false, not 1",
      why: "all that is wrong is told at once"
    },
    { options: null, says: "the options must be an object, not null", why: "no options at all" }
  ])("are refused when they are $options: $why", async ({ options, says }) => {
    await using cluster = await openCluster()
    // What programs in JavaScript say has no type.
    const refused = await cluster.serve(options as ServeOptions).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(InvalidOptions)
    expect(refused).toMatchObject({ message: says })
  })
})

describe("the page of a program's own server", () => {
  it("is at the address that serve answers, for everybody, and what it shows for those with the token", async () => {
    await using cluster = await openCluster()
    const { page = "", url, token } = await cluster.serve({ tls: false, page: true })
    expect(page).toBe(`${url}/charthouse/#token=${token}`)
    const [shown, asked] = await Promise.all([fetch(page), fetch(`${url}/charthouse/v1/clock`)])
    expect({ shown: shown.status, asked: asked.status }).toEqual({ shown: 200, asked: 401 })
    expect(await shown.text()).toContain("/charthouse/page.js")
  })

  it("is not there unless it is asked for", async () => {
    await using cluster = await openCluster()
    const { page, url } = await cluster.serve({ tls: false })
    expect(page).toBeUndefined()
    expect((await fetch(`${url}/charthouse/`)).status).not.toBe(200)
  })
})

describe("a server for everybody", () => {
  it("is reached by its kubeconfig, over a certificate for every name and address of the machine", async () => {
    await using cluster = await openCluster()
    const { url, kubeconfig, ca = "" } = await cluster.serve({ host: "0.0.0.0" })
    const { hostname: reached, port } = new URL(url)
    expect(reached).toBe("127.0.0.1")
    expect(parse(kubeconfig)).toMatchObject({ clusters: [{ cluster: { server: url } }] })
    const certificate = await shownBy(Number(port), ca)
    const addresses = Object.values(networkInterfaces()).flatMap((all = []) => all.map((it) => it.address))
    expect(addresses.filter((address) => certificate.checkIP(address) === undefined)).toEqual([])
    expect(certificate.checkHost(hostname())).toBe(hostname())
  })

  it("may be called by the machine's name, and by no other machine's", async () => {
    await using world = await openWorld({ serve: { host: "0.0.0.0" } })
    const called = (host: string) => world.request("GET", "/version", { headers: { host } })
    expect(await called(hostname().toUpperCase())).toMatchObject({ code: 200 })
    expect(await called("10.1.2.3:8080")).toMatchObject({ code: 200 })
    expect(await called("elsewhere.example")).toMatchObject({ code: 403 })
  })
})

describe("a server for this machine", () => {
  it.each(["localhost", "127.0.0.1"])("is found as it was asked for: %s", async (host) => {
    await using cluster = await openCluster()
    const { url } = await cluster.serve({ host })
    expect(new URL(url).hostname).toBe(host)
  })

  it("is not called by the machine's name", async () => {
    await using world = await openWorld()
    const headers = { host: `${hostname()}.elsewhere.example` }
    expect(await world.request("GET", "/version", { headers })).toMatchObject({ code: 403 })
  })
})

/** The certificate that a server on this machine shows, once it has been verified. */
const shownBy = (port: number, ca: string): Promise<X509Certificate> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, ca }, () => {
      const certificate = socket.getPeerX509Certificate()
      socket.destroy()
      if (certificate === undefined) reject(new Error("the server has shown no certificate"))
      else resolve(certificate)
    })
    socket.on("error", reject)
  })
