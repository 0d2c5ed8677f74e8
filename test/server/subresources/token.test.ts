import { createPublicKey, verify } from "node:crypto"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { openTestServer, withTestServer, token } from "../testServer.ts"
import type { Json, TestServer } from "../testServer.ts"

const account = "/api/v1/namespaces/default/serviceaccounts/default"
const accounts = "/api/v1/namespaces/default/serviceaccounts"
const issuer = "https://kubernetes.default.svc.cluster.local"
const startMillis = Date.parse("2026-07-11T09:00:00Z")
const startSeconds = startMillis / 1000

const partOf = (text: string, index: number): Json =>
  JSON.parse(Buffer.from(text.split(".")[index] ?? "", "base64url").toString())

const claimsOf = (text: string): Json => partOf(text, 1)

const tokenFor = async ({ request }: TestServer, spec: object = {}, path = account): Promise<string> => {
  const { code, json } = await request("POST", `${path}/token`, { body: { spec } })
  expect([code, json.message]).toEqual([201, undefined])
  return json.status.token
}

const reviewOf = async ({ request }: TestServer, spec: object): Promise<Json> => {
  const { json } = await request("POST", "/apis/authentication.k8s.io/v1/tokenreviews", { body: { spec } })
  return json.status
}

const aPod = { metadata: { name: "web" }, spec: { containers: [{ name: "app", image: "a:1" }] } }

const createPod = async ({ request, cluster }: TestServer): Promise<Json> => {
  await request("POST", "/api/v1/namespaces/default/pods", { body: aPod })
  await runAdvance(cluster)
  return (await request("GET", "/api/v1/namespaces/default/pods/web")).json
}

const runAdvance = async (cluster: TestServer["cluster"], time = "10s"): Promise<void> => {
  await Effect.runPromise(cluster.advance(time))
}

describe("a TokenRequest", () => {
  it("is answered with a token for the API that lasts an hour, when it asks for nothing else", async () => {
    await using server = await openTestServer({ startMillis })
    const { json } = await server.request("POST", `${account}/token`, { body: {} })
    expect(json).toMatchObject({
      kind: "TokenRequest",
      apiVersion: "authentication.k8s.io/v1",
      metadata: { name: "default", namespace: "default", creationTimestamp: "2026-07-11T09:00:00Z" },
      spec: { audiences: [issuer], expirationSeconds: 3600 },
      status: { expirationTimestamp: "2026-07-11T10:00:00Z" }
    })
    const stored = (await server.request("GET", account)).json
    expect(claimsOf(json.status.token)).toEqual({
      aud: [issuer],
      exp: startSeconds + 3600,
      iat: startSeconds,
      iss: issuer,
      jti: expect.stringMatching(/^[\da-f-]{36}$/),
      "kubernetes.io": {
        namespace: "default",
        serviceaccount: { name: "default", uid: stored.metadata.uid }
      },
      nbf: startSeconds,
      sub: "system:serviceaccount:default:default"
    })
  })

  it("binds the token to a Pod, and names the Pod's node", async () => {
    await using server = await openTestServer({ startMillis })
    const pod = await createPod(server)
    const text = await tokenFor(server, { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "web" } })
    const node = (await server.request("GET", `/api/v1/nodes/${pod.spec.nodeName}`)).json
    expect(claimsOf(text)["kubernetes.io"]).toMatchObject({
      pod: { name: "web", uid: pod.metadata.uid },
      node: { name: pod.spec.nodeName, uid: node.metadata.uid }
    })
  })

  it("gets a token for a year that is stale after the asked time, when it is what a projected volume asks for", async () => {
    await using server = await openTestServer({ startMillis })
    await createPod(server)
    const ref = { kind: "Pod", apiVersion: "v1", name: "web" }
    const claims = claimsOf(await tokenFor(server, { expirationSeconds: 3607, boundObjectRef: ref }))
    expect(claims.exp - claims.iat).toBe(365 * 24 * 3600)
    expect(claims["kubernetes.io"].warnafter - claims.iat).toBe(3607)
  })

  it.each([
    {
      why: "a shorter time than ten minutes",
      body: { spec: { expirationSeconds: 599 } },
      code: 422,
      message:
        'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes'
    },
    {
      why: "a longer time than 2^32 seconds",
      body: { spec: { expirationSeconds: 4_294_967_297 } },
      code: 422,
      message:
        'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds'
    },
    {
      why: "another name than that of its path",
      body: { metadata: { name: "other" } },
      code: 422,
      message:
        'TokenRequest.authentication.k8s.io "default" is invalid: metadata.name: Invalid value: "other": must match the service account name if specified'
    },
    {
      why: "a ConfigMap to be bound to",
      body: { spec: { boundObjectRef: { kind: "ConfigMap", apiVersion: "v1", name: "a" } } },
      code: 400,
      message: "cannot bind token to object of type /v1, Kind=ConfigMap"
    },
    {
      why: "a Pod that does not exist",
      body: { spec: { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "gone" } } },
      code: 404,
      message: 'pods "gone" not found'
    },
    {
      why: "a field of another type",
      body: { spec: { expirationSeconds: "1h" } },
      code: 400,
      message:
        'TokenRequest in version "v1" cannot be handled as a TokenRequest: json: cannot unmarshal string into Go struct field TokenRequestSpec.spec.expirationSeconds of type int64'
    }
  ])("is refused when it names $why", ({ body, code, message }) =>
    withTestServer(async ({ request }) => {
      const { json, code: found } = await request("POST", `${account}/token`, { body })
      expect([found, json.message]).toEqual([code, message])
    })
  )

  it("is refused for a Pod of another account, and for a Pod that was created again", () =>
    withTestServer(async (server) => {
      const { request } = server
      await createPod(server)
      await request("POST", accounts, { body: { metadata: { name: "other" } } })
      const ref = { kind: "Pod", apiVersion: "v1", name: "web" }
      const [ofOther, ofOld] = [
        await request("POST", `${accounts}/other/token`, { body: { spec: { boundObjectRef: ref } } }),
        await request("POST", `${account}/token`, {
          body: { spec: { boundObjectRef: { ...ref, uid: "an-old-one" } } }
        })
      ]
      expect(ofOther.json.message).toBe(
        'cannot bind token for serviceaccount "other" to pod running with different serviceaccount name.'
      )
      expect([ofOld.code, ofOld.json.message]).toEqual([
        409,
        'Operation cannot be fulfilled on Pod "web": the UID in the bound object reference (an-old-one) does not match the UID in record. The object might have been deleted and then recreated'
      ])
    }))

  it("is not found for an account that does not exist, and cannot be read", () =>
    withTestServer(async ({ request }) => {
      const { json } = await request("POST", `${accounts}/none/token`, { body: {} })
      expect(json.message).toBe('serviceaccounts "none" not found')
      expect((await request("GET", `${account}/token`)).code).toBe(405)
    }))
})

describe("a token of a service account", () => {
  it("authenticates its account against the API", () =>
    withTestServer(async (server) => {
      const text = await tokenFor(server)
      const { code, json } = await server.request(
        "POST",
        "/apis/authentication.k8s.io/v1/selfsubjectreviews",
        {
          body: {},
          headers: { authorization: `Bearer ${text}` }
        }
      )
      expect([code, json.status.userInfo]).toEqual([
        201,
        {
          username: "system:serviceaccount:default:default",
          uid: claimsOf(text)["kubernetes.io"].serviceaccount.uid,
          groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
          extra: { "authentication.kubernetes.io/credential-id": [`JTI=${claimsOf(text).jti}`] }
        }
      ])
    }))

  it("is what a TokenReview says it is, for each audience", () =>
    withTestServer(async (server) => {
      const vault = await tokenFor(server, { audiences: ["vault", "other"] })
      expect(await reviewOf(server, { token: vault, audiences: ["vault"] })).toMatchObject({
        authenticated: true,
        user: { username: "system:serviceaccount:default:default" },
        audiences: ["vault"]
      })
      expect(await reviewOf(server, { token: vault })).toEqual({
        authenticated: false,
        user: {},
        error: `[invalid bearer token, token audiences ["vault" "other"] is invalid for the target audiences ["${issuer}"]]`
      })
      const { code } = await server.request("GET", "/api/v1/pods", {
        headers: { authorization: `Bearer ${vault}` }
      })
      expect(code).toBe(401)
    }))

  it.each<{
    readonly when: string
    readonly after: (server: TestServer, text: string) => Promise<string | undefined>
    readonly problem: string | RegExp
  }>([
    {
      when: "its time and a minute have passed",
      after: async ({ cluster }) => {
        await runAdvance(cluster, "3662s")
        return undefined
      },
      problem: "service account token has expired"
    },
    {
      when: "its account is deleted",
      after: async ({ request }) => {
        await request("DELETE", `${accounts}/robot`)
        return undefined
      },
      problem: 'serviceaccounts "robot" not found'
    },
    {
      when: "its account is another one of the same name",
      after: async ({ request }) => {
        await request("DELETE", `${accounts}/robot`)
        await request("POST", accounts, { body: { metadata: { name: "robot" } } })
        return undefined
      },
      problem: /^service account UID \([\w-]+\) does not match claim \([\w-]+\)$/
    },
    {
      when: "the Pod that it is bound to is deleted",
      after: async ({ request }) => {
        await request("DELETE", "/api/v1/namespaces/default/pods/web?gracePeriodSeconds=0")
        return undefined
      },
      problem: "service account token has been invalidated"
    },
    {
      when: "its claims were changed",
      after: async (_server, text) => {
        const [head, , signature] = text.split(".")
        const claims = { ...claimsOf(text), sub: "system:serviceaccount:kube-system:admin" }
        return [head, Buffer.from(JSON.stringify(claims)).toString("base64url"), signature].join(".")
      },
      problem: "go-jose/go-jose: error in cryptographic primitive"
    },
    {
      when: "another cluster made it",
      after: async () => {
        await using elsewhere = await openTestServer()
        return await tokenFor(elsewhere)
      },
      problem: "invalid signature, no keys found"
    }
  ])("is not accepted any more when $when", ({ after, problem }) =>
    withTestServer(async (server) => {
      const { request } = server
      await request("POST", accounts, { body: { metadata: { name: "robot" } } })
      const pod = { ...aPod, spec: { ...aPod.spec, serviceAccountName: "robot" } }
      await request("POST", "/api/v1/namespaces/default/pods", { body: pod })
      const ref = { kind: "Pod", apiVersion: "v1", name: "web" }
      const text = await tokenFor(server, { boundObjectRef: ref }, `${accounts}/robot`)
      expect((await reviewOf(server, { token: text })).authenticated).toBe(true)
      const status = await reviewOf(server, { token: (await after(server, text)) ?? text })
      expect(status.authenticated).toBe(false)
      const [, found = ""] = /^\[invalid bearer token, (.*)\]$/s.exec(status.error) ?? []
      expect(found).toMatch(problem)
    })
  )

  it("is verified with the published keys, by programs other than the server", () =>
    withTestServer(async (server) => {
      const { port, request } = server
      const { json: configuration } = await request("GET", "/.well-known/openid-configuration")
      expect(configuration).toEqual({
        issuer,
        jwks_uri: `https://127.0.0.1:${port}/openid/v1/jwks`,
        response_types_supported: ["id_token"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["ES256"]
      })
      const { json, headers } = await request("GET", new URL(configuration.jwks_uri).pathname)
      expect(headers["content-type"]).toBe("application/jwk-set+json")
      const [head = "", payload = "", signature = ""] = (await tokenFor(server)).split(".")
      const key = json.keys.find(({ kid }: Json) => kid === partOf(head, 0).kid)
      expect(key).toMatchObject({ use: "sig", alg: "ES256", kty: "EC", crv: "P-256" })
      const isValid = verify(
        "sha256",
        Buffer.from(`${head}.${payload}`),
        { key: createPublicKey({ key, format: "jwk" }), dsaEncoding: "ieee-p1363" },
        Buffer.from(signature, "base64url")
      )
      expect(isValid).toBe(true)
    }))

  it("is not needed by the client with the token of the server", () =>
    withTestServer(async (server) => {
      expect(await reviewOf(server, { token })).toMatchObject({ user: { username: "charthouse-admin" } })
    }))
})
