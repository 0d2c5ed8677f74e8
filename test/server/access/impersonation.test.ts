import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { refuse } from "../../../src/index.ts"
import { statusSummary } from "../apiObjects.ts"
import { sendRaw } from "../http/rawRequest.ts"
import { openTraffic, paths } from "../traffic/recordedTraffic.ts"
import { openTestServer, token } from "../testServer.ts"
import type { UserInfo } from "../../../src/index.ts"
import type { TestServer } from "../testServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server.close())

const reviews = "/apis/authentication.k8s.io/v1/selfsubjectreviews"

/** The Status or review that a SelfSubjectReview with these headers gets. */
const whoami = async (lines: ReadonlyArray<string>) => {
  const head = [
    `POST ${reviews} HTTP/1.1`,
    `Host: 127.0.0.1:${server.port}`,
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    "Content-Length: 2",
    "Connection: close",
    ...lines
  ]
  const { text } = await sendRaw(server.port, `${head.join("\r\n")}\r\n\r\n{}`)
  return JSON.parse(Buffer.from(text.slice(text.indexOf("{")), "latin1").toString())
}

const authenticatedGroup = "system:authenticated"

describe("a SelfSubjectReview names the impersonated user, as upstream's filter does", () => {
  const rows: ReadonlyArray<{
    readonly lines: ReadonlyArray<string>
    readonly user: UserInfo
    readonly why: string
  }> = [
    {
      lines: ["Impersonate-User: jane"],
      user: { username: "jane", groups: [authenticatedGroup] },
      why: "a user gets system:authenticated"
    },
    {
      lines: ["Impersonate-User: jane", "Impersonate-Group: a", "impersonate-group: b, c"],
      user: { username: "jane", groups: ["a", "b, c", authenticatedGroup] },
      why: "one group a header"
    },
    {
      lines: ["Impersonate-User: jane", `Impersonate-Group: ${authenticatedGroup}`, "Impersonate-Group: a"],
      user: { username: "jane", groups: [authenticatedGroup, "a"] },
      why: "a named system:authenticated is not repeated"
    },
    {
      lines: ["Impersonate-User: jane", "Impersonate-Group: system:unauthenticated"],
      user: { username: "jane", groups: ["system:unauthenticated"] },
      why: "a named system:unauthenticated replaces system:authenticated"
    },
    {
      lines: ["Impersonate-User: system:anonymous"],
      user: { username: "system:anonymous", groups: ["system:unauthenticated"] },
      why: "system:anonymous gets system:unauthenticated"
    },
    {
      lines: ["Impersonate-User: system:serviceaccount:shop:builder"],
      user: {
        username: "system:serviceaccount:shop:builder",
        groups: ["system:serviceaccounts", "system:serviceaccounts:shop", authenticatedGroup]
      },
      why: "a service account gets its groups"
    },
    {
      lines: ["Impersonate-User: system:serviceaccount:shop:builder", "Impersonate-Group: a"],
      user: { username: "system:serviceaccount:shop:builder", groups: ["a", authenticatedGroup] },
      why: "a service account with named groups gets those only"
    },
    {
      lines: ["Impersonate-User: system:serviceaccount:Shop:builder"],
      user: { username: "system:serviceaccount:Shop:builder", groups: [authenticatedGroup] },
      why: "an invalid namespace makes an ordinary user"
    },
    {
      lines: ["Impersonate-User: system:node:node-1"],
      user: { username: "system:node:node-1", groups: ["system:nodes", authenticatedGroup] },
      why: "a node alone gets system:nodes"
    },
    {
      lines: ["Impersonate-User: system:node:node-1", "Impersonate-Uid: 7"],
      user: { username: "system:node:node-1", uid: "7", groups: [authenticatedGroup] },
      why: "a node with a uid is an ordinary user"
    },
    {
      lines: [
        "Impersonate-User: jürgen",
        "Impersonate-Uid: 17",
        "Impersonate-Extra-Scopes: view",
        "Impersonate-Extra-Example.com%2FTeam: a",
        "Impersonate-Extra-scopes: develop",
        "Impersonate-Extra-Odd%zz: 1"
      ],
      user: {
        username: "jürgen",
        uid: "17",
        groups: [authenticatedGroup],
        extra: { "example.com/team": ["a"], "odd%zz": ["1"], scopes: ["view", "develop"] }
      },
      why: "keys of extra become lower case, and unescaped where possible"
    },
    {
      lines: ["Impersonate-User: ", "Impersonate-Uid: "],
      user: { username: "charthouse-admin", groups: ["system:masters", authenticatedGroup] },
      why: "empty headers impersonate no user"
    }
  ]

  it.each(rows)("$why: $lines", async ({ lines, user }) => {
    const { status } = await whoami(lines)
    expect(status).toEqual({ userInfo: user })
    expect(Object.keys(status.userInfo.extra ?? {})).toEqual(Object.keys(user.extra ?? {}))
  })
})

describe("impersonation is refused", () => {
  it.each([
    { header: "Impersonate-Group: a", says: 'UID:"", Groups:[]string{"a"}, Extra:map[string][]string(nil)' },
    {
      header: "Impersonate-Uid: 7",
      says: 'UID:"7", Groups:[]string(nil), Extra:map[string][]string(nil)'
    },
    {
      header: "Impersonate-Extra-K: v",
      says: 'UID:"", Groups:[]string(nil), Extra:map[string][]string{"k":[]string{"v"}}'
    }
  ])("without a user: $header", async ({ header, says }) => {
    const { code, reason, message } = await whoami([header])
    expect({ code, reason, message }).toEqual({
      code: 400,
      reason: "BadRequest",
      message: `requested &user.DefaultInfo{Name:"", ${says}} without impersonating a user name`
    })
  })

  it("for a client without a token, on public paths", async () => {
    const headers = { authorization: "", "impersonate-user": "jane" }
    expect(statusSummary(await server.request("GET", "/version", { headers }))).toEqual({
      code: 403,
      reason: "Forbidden",
      message: 'forbidden: User "system:anonymous" cannot impersonate-on:user-info:get path "/version"'
    })
  })

  it("for a client with a wrong token, before other checks", async () => {
    const headers = { authorization: "Bearer wrong", "impersonate-group": "a" }
    expect(await server.request("GET", "/version", { headers })).toMatchObject({ code: 401 })
  })
})

describe("an impersonated user", () => {
  it("has all permissions of the token's owner, in access reviews too", async () => {
    const headers = { "impersonate-user": "jane" }
    const spec = { resourceAttributes: { verb: "delete", resource: "nodes" } }
    const review = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    const { json } = await server.request("POST", review, { body: { spec }, headers })
    expect(json.status).toEqual({ allowed: true })
    expect(await server.request("GET", "/api/v1/nodes", { headers })).toMatchObject({ code: 200 })
  })

  it("appears in the request log, and is matched there and in interceptors by name", async () => {
    await using traffic = await openTraffic()
    const { requests, cluster } = traffic
    cluster.intercept({ user: "jane" }, refuse(403))
    const jane = { "impersonate-user": "jane", "impersonate-group": "developers" }
    await traffic.ask("GET", paths.pods)
    expect((await traffic.ask("GET", paths.pods, { headers: jane })).code).toBe(403)
    expect(requests.all().map(({ user }) => user)).toEqual([
      { username: "charthouse-admin", groups: ["system:masters", authenticatedGroup] },
      { username: "jane", groups: ["developers", authenticatedGroup] }
    ])
    expect(requests.all({ user: "jane" }).map(({ number }) => number)).toEqual([2])
    expect(requests.all({ user: /^charthouse/ }).map(({ number }) => number)).toEqual([1])
    expect(requests.all({ user: "jan" })).toEqual([])
  })
})
