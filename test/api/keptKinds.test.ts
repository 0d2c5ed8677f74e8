import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { forbidden, invalid, refusalOf, required } from "./causes.ts"
import { aConfigMap, configMaps, told } from "./drafts.ts"
import { inWorld, openWorld } from "./world.ts"
import type { Row } from "./causes.ts"
import type { Json, World } from "./world.ts"

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const secrets = "/api/v1/namespaces/default/secrets"
const autoscalers = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
const priorityClasses = "/apis/scheduling.k8s.io/v1/priorityclasses"

const refusesEach = (path: string, rows: ReadonlyArray<Row>): void => {
  it.each(rows)("$why", async ({ body, causes }) => {
    const { code, json } = await world.request("POST", path, { body })
    expect(json).toEqual(refusalOf(body, causes))
    expect(code).toBe(422)
  })
}

const keyRule =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or " +
  "'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"

const aSecret = (more: object, name = "s"): Json => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name },
  ...more
})

describe("a ConfigMap is refused", () => {
  refusesEach(configMaps, [
    {
      body: aConfigMap("a", { "a b": "1" }),
      causes: [invalid("data[a b]", '"a b"', keyRule)],
      why: "with a key that is no name of a file"
    },
    {
      body: aConfigMap("a", { "..": "1", "..a": "2", ".": "3", "a..": "4" }),
      causes: [
        invalid("data[..]", '".."', "must not be '..'"),
        invalid("data[..a]", '"..a"', "must not start with '..'"),
        invalid("data[.]", '"."', "must not be '.'")
      ],
      why: "with a key that is a way out of a folder"
    },
    {
      body: aConfigMap("a", { ["x".repeat(254)]: "1", ["y".repeat(253)]: "2" }),
      causes: [
        invalid(`data[${"x".repeat(254)}]`, `"${"x".repeat(254)}"`, "must be no more than 253 characters")
      ],
      why: "with a key that is longer than any name"
    },
    {
      body: { ...aConfigMap("a", { a: "1" }), binaryData: { a: "MQ==", "b/c": "MQ==" } },
      causes: [
        invalid("data[a]", '"a"', "duplicate of key present in binaryData"),
        invalid("binaryData[b/c]", '"b/c"', keyRule)
      ],
      why: "with a key that is there twice, and one that is a path"
    }
  ])
})

describe("a Secret is refused", () => {
  refusesEach(secrets, [
    {
      body: aSecret({ type: "kubernetes.io/tls" }),
      causes: [required("data[tls.crt]"), required("data[tls.key]")],
      why: "for TLS without a certificate and a key"
    },
    {
      body: aSecret({ type: "kubernetes.io/tls", stringData: { "tls.crt": "" } }),
      causes: [required("data[tls.key]")],
      why: "for TLS with an empty certificate and no key"
    },
    {
      body: aSecret({ type: "kubernetes.io/basic-auth", data: {} }),
      causes: [required("data[username]"), required("data[password]")],
      why: "for basic authentication with neither name nor password"
    },
    {
      body: aSecret({ type: "kubernetes.io/ssh-auth", data: { "ssh-privatekey": "" } }),
      causes: [required("data[ssh-privatekey]")],
      why: "for SSH with an empty key"
    },
    {
      body: aSecret({ type: "kubernetes.io/dockerconfigjson" }),
      causes: [required("data[.dockerconfigjson]")],
      why: "for a registry without its file"
    },
    {
      body: aSecret({ type: "kubernetes.io/dockercfg" }),
      causes: [required("data[.dockercfg]")],
      why: "for a registry without its old file"
    },
    {
      body: aSecret({ type: "kubernetes.io/service-account-token" }),
      causes: [required("metadata.annotations[kubernetes.io/service-account.name]")],
      why: "for an account it does not name"
    },
    {
      body: aSecret({ data: { "a b": "MQ==" } }),
      causes: [invalid("data[a b]", '"a b"', keyRule)],
      why: "with a key that is no name of a file"
    }
  ])

  it.each([
    { type: "kubernetes.io/basic-auth", stringData: { password: "x" } },
    { type: "example.com/mine", stringData: {} },
    { type: "kubernetes.io/tls", stringData: { "tls.crt": "a", "tls.key": "b" } }
  ])("but not of type $type with what that needs", async (more) => {
    const { code } = await world.request("POST", `${secrets}?dryRun=All`, { body: aSecret(more) })
    expect(code).toBe(201)
  })
})

describe("what has said that it never changes", () => {
  const frozen = "field is immutable when `immutable` is set"

  it.each([
    { change: { immutable: false }, causes: [forbidden("immutable", frozen)], why: "takes that back" },
    { change: { immutable: null }, causes: [forbidden("immutable", frozen)], why: "says it no longer" },
    { change: { data: { key: "bmV3" } }, causes: [forbidden("data", frozen)], why: "gets another value" },
    { change: { data: { more: "bmV3" } }, causes: [forbidden("data", frozen)], why: "gets another key" },
    {
      change: { data: null, immutable: null },
      causes: [forbidden("immutable", frozen), forbidden("data", frozen)],
      why: "loses everything"
    }
  ])("is refused when it $why", ({ change, causes }) =>
    inWorld(async ({ request }) => {
      const headers = { "content-type": "application/merge-patch+json" }
      for (const [path, body] of [
        [configMaps, { ...aConfigMap("s", { key: "dmFsdWU=" }), immutable: true }],
        [secrets, aSecret({ data: { key: "dmFsdWU=" }, immutable: true })]
      ] as const) {
        await request("POST", path, { body })
        const { json } = await request("PATCH", `${path}/s`, { body: change, headers })
        expect(json).toEqual(refusalOf(body, causes))
        const labelled = await request("PATCH", `${path}/s`, {
          body: { metadata: { labels: { a: "b" } } },
          headers
        })
        expect(labelled.code).toBe(200)
      }
    })
  )

  it("as a Secret includes its type, whatever it has said", () =>
    inWorld(async ({ request }) => {
      await request("POST", secrets, { body: aSecret({ type: "example.com/one" }) })
      const body = aSecret({ type: "example.com/two" })
      expect((await request("PUT", `${secrets}/s`, { body })).json).toEqual(
        refusalOf(body, [invalid("type", '"example.com/two"', "field is immutable")])
      )
    }))
})

describe("a HorizontalPodAutoscaler is refused", () => {
  const aScaler = (spec: object): Json => ({
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web" },
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, ...spec }
  })
  refusesEach(autoscalers, [
    {
      body: aScaler({ minReplicas: 7, maxReplicas: 5 }),
      causes: [invalid("spec.maxReplicas", "5", "must be greater than or equal to `minReplicas`")],
      why: "whose least size is above the greatest"
    },
    {
      body: aScaler({ minReplicas: 0, maxReplicas: 3 }),
      causes: [invalid("spec.minReplicas", "0", "must be greater than or equal to 1")],
      why: "whose least size is none"
    },
    {
      body: aScaler({ maxReplicas: 3, scaleTargetRef: {} }),
      causes: [required("spec.scaleTargetRef.kind"), required("spec.scaleTargetRef.name")],
      why: "that scales nothing"
    }
  ])
})

describe("a PriorityClass is refused", () => {
  const aClass = (name: string, value: number): Json => ({
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name },
    value
  })
  const most = "maximum allowed value of a user defined priority is 1000000000"
  const reserved = "priority class names with 'system-' prefix are reserved for system use only. error: "
  refusesEach(priorityClasses, [
    {
      body: aClass("mine", 1_000_000_001),
      causes: [forbidden("value", most)],
      why: "that is worth more than any may be"
    },
    {
      body: aClass("system-mine", 7),
      causes: [forbidden("metadata.name", `${reserved}system-mine is not a known system priority class`)],
      why: "that takes a name of the system's"
    }
  ])

  it("when it changes what it is worth", () =>
    inWorld(async ({ request }) => {
      const { code } = await request("POST", priorityClasses, { body: aClass("mine", 1_000_000_000) })
      expect(code).toBe(201)
      expect(
        told(await request("PUT", `${priorityClasses}/mine`, { body: aClass("mine", 7) }))
      ).toMatchObject({
        code: 422,
        message:
          'PriorityClass.scheduling.k8s.io "mine" is invalid: value: Forbidden: may not be changed in an update.'
      })
    }))
})
