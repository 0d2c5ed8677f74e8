import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { forbidden, invalid, invalidStatus, required } from "./validationCauses.ts"
import { aConfigMap, configMaps, patchType, statusSummary } from "../apiObjects.ts"
import { Invalid } from "../../../src/index.ts"
import { withTestServer, openTestServer } from "../testServer.ts"
import type { Draft } from "../../../src/index.ts"
import type { InvalidBody } from "./validationCauses.ts"
import type { Json, TestServer } from "../testServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server.close())

const secrets = "/api/v1/namespaces/default/secrets"
const autoscalers = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
const priorityClasses = "/apis/scheduling.k8s.io/v1/priorityclasses"

const refusesEach = (path: string, rows: ReadonlyArray<InvalidBody>): void => {
  it.each(rows)("$why", async ({ body, causes }) => {
    const { code, json } = await server.request("POST", path, { body })
    expect(json).toEqual(invalidStatus(body, causes))
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
      why: "with a key that is no file name"
    },
    {
      body: aConfigMap("a", { "..": "1", "..a": "2", ".": "3", "a..": "4" }),
      causes: [
        invalid("data[..]", '".."', "must not be '..'"),
        invalid("data[..a]", '"..a"', "must not start with '..'"),
        invalid("data[.]", '"."', "must not be '.'")
      ],
      why: "with a key that leaves its folder"
    },
    {
      body: aConfigMap("a", { ["x".repeat(254)]: "1", ["y".repeat(253)]: "2" }),
      causes: [
        invalid(`data[${"x".repeat(254)}]`, `"${"x".repeat(254)}"`, "must be no more than 253 characters")
      ],
      why: "with a key over 253 characters"
    },
    {
      body: { ...aConfigMap("a", { a: "1" }), binaryData: { a: "MQ==", "b/c": "MQ==" } },
      causes: [
        invalid("data[a]", '"a"', "duplicate of key present in binaryData"),
        invalid("binaryData[b/c]", '"b/c"', keyRule)
      ],
      why: "with a key in data and binaryData, and a path as a key"
    }
  ])
})

describe("a Secret is refused", () => {
  refusesEach(secrets, [
    {
      body: aSecret({ type: "kubernetes.io/tls" }),
      causes: [required("data[tls.crt]"), required("data[tls.key]")],
      why: "of type TLS without certificate and key"
    },
    {
      body: aSecret({ type: "kubernetes.io/tls", stringData: { "tls.crt": "" } }),
      causes: [required("data[tls.key]")],
      why: "of type TLS with an empty certificate and no key"
    },
    {
      body: aSecret({ type: "kubernetes.io/basic-auth", data: {} }),
      causes: [required("data[username]"), required("data[password]")],
      why: "of type basic-auth without username and password"
    },
    {
      body: aSecret({ type: "kubernetes.io/ssh-auth", data: { "ssh-privatekey": "" } }),
      causes: [required("data[ssh-privatekey]")],
      why: "of type ssh-auth with an empty key"
    },
    {
      body: aSecret({ type: "kubernetes.io/dockerconfigjson" }),
      causes: [required("data[.dockerconfigjson]")],
      why: "of type dockerconfigjson without its file"
    },
    {
      body: aSecret({ type: "kubernetes.io/dockercfg" }),
      causes: [required("data[.dockercfg]")],
      why: "of type dockercfg without its file"
    },
    {
      body: aSecret({ type: "kubernetes.io/service-account-token" }),
      causes: [required("metadata.annotations[kubernetes.io/service-account.name]")],
      why: "of type service-account-token without an account"
    },
    {
      body: aSecret({ data: { "a b": "MQ==" } }),
      causes: [invalid("data[a b]", '"a b"', keyRule)],
      why: "with a key that is no file name"
    }
  ])

  it.each([
    { type: "kubernetes.io/basic-auth", stringData: { password: "x" } },
    { type: "example.com/mine", stringData: {} },
    { type: "kubernetes.io/tls", stringData: { "tls.crt": "a", "tls.key": "b" } }
  ])("is accepted of type $type with its required data", async (more) => {
    const { code } = await server.request("POST", `${secrets}?dryRun=All`, { body: aSecret(more) })
    expect(code).toBe(201)
  })
})

describe("the values of one object", () => {
  const mebibyte = 1024 * 1024
  const base64 = (bytes: number): string => Buffer.alloc(bytes).toString("base64")
  const half = mebibyte / 2
  const tooLong = (field: string) =>
    [field, "FieldValueTooLong", "Too long: may not be more than 1048576 bytes"] as const

  const kinds = [
    {
      kind: "ConfigMap",
      path: configMaps,
      // Two bytes each in UTF-8: bytes are counted, not letters, and keys are not.
      whole: { data: { a: "é".repeat(half / 2) }, binaryData: { b: base64(half) } },
      more: { binaryData: { b: base64(half + 1) } },
      cause: tooLong("[]")
    },
    {
      kind: "Secret",
      path: secrets,
      whole: { data: { a: base64(half), b: base64(half) } },
      more: { data: { b: base64(half + 1) } },
      cause: tooLong("data")
    }
  ]

  it.each(kinds)(
    "of kind $kind are limited to one mebibyte on every kind of write",
    async ({ kind, path, whole, more, cause }) => {
      await using world = await openTestServer()
      const { request, cluster } = world
      const body = { apiVersion: "v1", kind, metadata: { name: "big", namespace: "default" }, ...whole }
      expect((await request("POST", path, { body })).code).toBe(201)
      const [field = "", value] = Object.entries(more)[0] ?? []
      const larger = { ...body, [field]: { ...body[field as "data"], ...value } }
      const operation = { op: "replace", path: `/${field}/b`, value: base64(half + 1) }
      const answers = [
        await request("POST", path, { body: larger }),
        await request("PUT", `${path}/big`, { body: larger }),
        await request("PATCH", `${path}/big`, { body: [operation], headers: patchType.json }),
        await request("PATCH", `${path}/big`, { body: more, headers: patchType.merge }),
        await request("PATCH", `${path}/big`, { body: more, headers: patchType.strategic }),
        await request("PATCH", `${path}/big?fieldManager=m&force=true`, {
          body: larger,
          headers: patchType.apply
        })
      ]
      for (const { code, json } of answers) {
        expect([code, json]).toEqual([422, invalidStatus(body, [cause])])
      }
      const created = Effect.runPromise(cluster.create(larger as Draft))
      await expect(created).rejects.toThrow(Invalid)
      await expect(created).rejects.toThrow(`${cause[0]}: ${cause[2]}`)
    }
  )

  it("of a Secret count in stringData too", async () => {
    const body = aSecret({ stringData: { a: "x".repeat(mebibyte + 1) } })
    const { json } = await server.request("POST", secrets, { body })
    expect(json).toEqual(invalidStatus(body, [tooLong("data")]))
  })
})

describe("an immutable ConfigMap or Secret", () => {
  const frozen = "field is immutable when `immutable` is set"

  it.each([
    {
      change: { immutable: false },
      causes: [forbidden("immutable", frozen)],
      why: "sets immutable to false"
    },
    { change: { immutable: null }, causes: [forbidden("immutable", frozen)], why: "removes immutable" },
    { change: { data: { key: "bmV3" } }, causes: [forbidden("data", frozen)], why: "changes a value" },
    { change: { data: { more: "bmV3" } }, causes: [forbidden("data", frozen)], why: "adds a key" },
    {
      change: { data: null, immutable: null },
      causes: [forbidden("immutable", frozen), forbidden("data", frozen)],
      why: "removes all data"
    }
  ])("is refused a change that $why", ({ change, causes }) =>
    withTestServer(async ({ request }) => {
      const headers = { "content-type": "application/merge-patch+json" }
      for (const [path, body] of [
        [configMaps, { ...aConfigMap("s", { key: "dmFsdWU=" }), immutable: true }],
        [secrets, aSecret({ data: { key: "dmFsdWU=" }, immutable: true })]
      ] as const) {
        await request("POST", path, { body })
        const { json } = await request("PATCH", `${path}/s`, { body: change, headers })
        expect(json).toEqual(invalidStatus(body, causes))
        const labelled = await request("PATCH", `${path}/s`, {
          body: { metadata: { labels: { a: "b" } } },
          headers
        })
        expect(labelled.code).toBe(200)
      }
    })
  )

  it("refuses another type of a Secret, immutable or not", () =>
    withTestServer(async ({ request }) => {
      await request("POST", secrets, { body: aSecret({ type: "example.com/one" }) })
      const body = aSecret({ type: "example.com/two" })
      expect((await request("PUT", `${secrets}/s`, { body })).json).toEqual(
        invalidStatus(body, [invalid("type", '"example.com/two"', "field is immutable")])
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
      why: "with minReplicas above maxReplicas"
    },
    {
      body: aScaler({ minReplicas: 0, maxReplicas: 3 }),
      causes: [
        invalid("spec.minReplicas", "0", "must be greater than or equal to 1"),
        forbidden(
          "spec.metrics",
          "must specify at least one Object or External metric to support scaling to zero replicas"
        )
      ],
      why: "with minReplicas 0"
    },
    {
      body: aScaler({ maxReplicas: 3, scaleTargetRef: {} }),
      causes: [
        required("spec.scaleTargetRef.kind"),
        required("spec.scaleTargetRef.name"),
        invalid("spec.scaleTargetRef.apiVersion", '""', "apiVersion must specify API group")
      ],
      why: "without a scale target"
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
      why: "with a value above the maximum"
    },
    {
      body: aClass("system-mine", 7),
      causes: [forbidden("metadata.name", `${reserved}system-mine is not a known system priority class`)],
      why: "with a system- name"
    }
  ])

  it("when its value changes", () =>
    withTestServer(async ({ request }) => {
      const { code } = await request("POST", priorityClasses, { body: aClass("mine", 1_000_000_000) })
      expect(code).toBe(201)
      expect(
        statusSummary(await request("PUT", `${priorityClasses}/mine`, { body: aClass("mine", 7) }))
      ).toMatchObject({
        code: 422,
        message:
          'PriorityClass.scheduling.k8s.io "mine" is invalid: value: Forbidden: may not be changed in an update.'
      })
    }))
})
