import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import { parseBody } from "../../../src/server/requests/decodeBody.ts"
import { decodeProtobufObject } from "../../../src/server/protobuf/protobufEnvelope.ts"
import { loadProtobufReader } from "../../../src/server/protobuf/wireFormat.ts"
import { Refusal, toStatus } from "../../../src/server/http/statuses.ts"
import { aDeployment, aPod, configMaps, deployments, patchType, pods, statusSummary } from "../apiObjects.ts"
import { enveloped, protobufOf } from "./protobufWriter.ts"
import { withTestServer } from "../testServer.ts"

beforeAll(loadProtobufReader)

const seed = 20_260_712
const contentType = "application/vnd.kubernetes.protobuf"
const headers = { "content-type": contentType }

/** kubectl 1.36's protobuf bodies, and the JSON it logs for them, where null is a list that protobuf omits. */
const kubectlBodies = readFileSync(join(import.meta.dirname, "protobufBodies.txt"), "utf8")
  .trim()
  .split("\n\n")
  .map((block) => {
    const [command = "", body = "", json = ""] = block.split("\n")
    const loggedObject: unknown = JSON.parse(json, (_key, value: unknown) => value ?? undefined)
    return { command, body: Buffer.from(body, "base64"), loggedObject }
  })

describe("a protobuf body of kubectl", () => {
  it.each(kubectlBodies)(
    "with $command decodes to the object that kubectl logs",
    ({ body, loggedObject }) => {
      expect(decodeProtobufObject(body)).toEqual(loggedObject)
    }
  )
})

const deployment = { apiVersion: "apps/v1", kind: "Deployment" }
const specOf = (spec: object): unknown => decodeProtobufObject(protobufOf({ spec }, deployment))?.["spec"]

describe("a zero in protobuf", () => {
  const rows = [
    { spec: { replicas: 0 }, why: "an optional field keeps its zero" },
    { spec: { minReadySeconds: 0 }, read: {}, why: "omitempty drops it" },
    { spec: { paused: false }, read: {}, why: "omitempty drops it" },
    {
      spec: { strategy: { type: "" } },
      read: { strategy: {} },
      why: "the struct stays, its empty string is dropped"
    },
    {
      spec: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: "0%" } } },
      why: "IntOrString keeps its zero"
    }
  ]
  it.each(rows)("of $spec decodes to $read: $why", ({ spec, read = spec }) => {
    expect(specOf(spec)).toEqual(read)
  })

  it("is kept for a field that JSON always has", () => {
    const type = { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass" }
    expect(decodeProtobufObject(protobufOf({ value: 0, globalDefault: false }, type))).toEqual({
      ...type,
      value: 0
    })
  })
})

describe("values that are messages", () => {
  const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease" }

  it("decode times to seconds, or microseconds for MicroTime", () => {
    const creationTimestamp = "2026-07-12T01:02:03Z"
    const object = { metadata: { creationTimestamp }, spec: { renewTime: "2026-07-12T01:02:03.000045Z" } }
    expect(decodeProtobufObject(protobufOf(object, lease))).toEqual({ ...lease, ...object })
    const cut = { metadata: { creationTimestamp: "2026-07-12T01:02:03.999999Z" } }
    expect(decodeProtobufObject(protobufOf(cut, lease))).toEqual({
      ...lease,
      metadata: { creationTimestamp }
    })
  })

  it("decode an empty time to no field", () => {
    // metadata (field 1) with an empty creationTimestamp (field 8).
    expect(decodeProtobufObject(enveloped(Buffer.from("0a024200", "hex"), lease))).toEqual({
      ...lease,
      metadata: {}
    })
  })

  it("decode maps with any key, and change no prototype", () => {
    const data = JSON.parse('{"__proto__":"x","constructor":"y","plain":"z"}') as object
    const type = { apiVersion: "v1", kind: "ConfigMap" }
    const read = decodeProtobufObject(protobufOf({ data }, type))?.["data"]
    expect(Object.entries(read ?? {})).toEqual(Object.entries(data))
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
    expect("x" in {}).toBe(false)
  })

  it("decode a repeated single field to its last value, and a repeated list field to all", () => {
    const port = (number: number) => Buffer.from([0x18, number])
    const container = (...parts: ReadonlyArray<Buffer>) => field(6, Buffer.concat(parts))
    const raw = field(2, field(2, container(port(80), port(81)), container(port(82))))
    const read = decodeProtobufObject(enveloped(raw, { apiVersion: "v1", kind: "Pod" }))
    expect(read?.["spec"]).toEqual({
      containers: [{ ports: [{ containerPort: 81 }, { containerPort: 82 }] }]
    })
  })
})

/** A length-delimited field of fewer than 128 bytes. */
const field = (number: number, ...parts: ReadonlyArray<Buffer>): Buffer => {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), content])
}

/** Code and message of the refusal; undefined when the body can be decoded. */
const refusalOf = (
  body: Buffer
): { readonly code: number; readonly message: string | undefined } | undefined => {
  try {
    parseBody({ body, contentType })
    return undefined
  } catch (error) {
    // Other errors would become a 500.
    if (!(error instanceof Refusal)) throw error
    const { code, message } = toStatus(error)
    return { code, message }
  }
}

const unknown =
  "the body of the request was in an unknown format - " +
  "accepted media types include: application/json, application/yaml"
const broken = (why: string): string => `Deployment in version "v1" cannot be handled as a Deployment: ${why}`
const deploymentBytes = (hex: string): Buffer => enveloped(Buffer.from(hex, "hex"), deployment)
const leaseBytes = (hex: string): Buffer =>
  enveloped(Buffer.from(hex, "hex"), { apiVersion: "coordination.k8s.io/v1", kind: "Lease" })

describe("a protobuf body", () => {
  const unknowns = [
    { body: Buffer.alloc(0), why: "is empty" },
    { body: Buffer.from("k8s\0"), why: "has no kind" },
    { body: Buffer.from("k8s"), why: "has not the whole prefix" },
    { body: Buffer.from(JSON.stringify(aDeployment())), why: "is JSON" },
    { body: Buffer.concat([Buffer.from("k8s\0"), Buffer.alloc(99, 0xff)]), why: "holds no message" },
    { body: enveloped(Buffer.alloc(0), { apiVersion: "v1", kind: "Nothing" }), why: "is of an unknown kind" },
    {
      body: enveloped(Buffer.alloc(0), { apiVersion: "apps/v9", kind: "Deployment" }),
      why: "is of an unknown version"
    },
    {
      body: enveloped(Buffer.alloc(0), { apiVersion: "v1", kind: "PodSpec" }),
      why: "is a part of an object"
    },
    {
      body: enveloped(Buffer.alloc(0), { apiVersion: "v1", kind: "__proto__" }),
      why: "is of kind __proto__"
    },
    {
      body: enveloped(Buffer.alloc(0), {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition"
      }),
      why: "is a CustomResourceDefinition, whose field numbers are unknown"
    },
    { body: enveloped(Buffer.alloc(0), { ...deployment, contentEncoding: "gzip" }), why: "is compressed" },
    {
      body: enveloped(Buffer.from("{}"), { ...deployment, contentType: "application/json" }),
      why: "wraps JSON"
    }
  ]
  it.each(unknowns)("that $why is refused with 415", ({ body }) => {
    expect(refusalOf(body)).toEqual({ code: 415, message: unknown })
  })

  const bytes = "proto: a field of bytes has another wire type"
  const broken400 = [
    { body: deploymentBytes("12ff01"), message: broken("unexpected EOF"), why: "ends too early" },
    {
      body: deploymentBytes("12ffffffff0f"),
      message: broken("invalid length encoding"),
      why: "claims a length of 4 GiB"
    },
    { body: deploymentBytes("1001"), message: broken(bytes), why: "has a varint as spec" },
    {
      body: deploymentBytes("11aaaaaaaaaaaaaaaa"),
      message: broken(bytes),
      why: "has a fixed64 as spec"
    },
    {
      body: deploymentBytes("12020a00"),
      message: broken("proto: a field of a number has another wire type"),
      why: "has bytes as replicas"
    },
    { body: deploymentBytes("0001"), message: broken("proto: illegal tag 0"), why: "has field number 0" },
    { body: deploymentBytes("1380"), message: broken("unexpected EOF"), why: "does not end its group" },
    {
      body: deploymentBytes("fb01".repeat(5000)),
      message: expect.stringMatching(/: max depth exceeded$/),
      why: "nests thousands of groups"
    },
    {
      body: deploymentBytes("120c08ffffffffffffffffffff7f"),
      message: broken("invalid varint encoding"),
      why: "has an endless varint"
    },
    {
      body: deploymentBytes("0a0742050880c0ffff7f"),
      message: broken("unexpected EOF"),
      why: "has a length beyond its message"
    },
    {
      body: leaseBytes("0a0a42080880808080808001"),
      message: expect.stringMatching(/: a time is not in the years 1 to 9999$/),
      why: "has a creation time after the year 9999"
    },
    {
      body: leaseBytes("0a0b8a01083a060a047b7b7b7b"),
      message: expect.stringMatching(/: a raw value is not JSON$/),
      why: "has malformed managedFields"
    }
  ]
  it.each(broken400)("that $why is refused with 400", ({ body, message }) => {
    expect(refusalOf(body)).toEqual({ code: 400, message })
  })

  it("that is cut off or has changed bytes is decoded, or refused with 400 or 415", () => {
    const whole = protobufOf(aDeployment() as Record<string, unknown>, deployment)
    for (let length = 0; length < whole.length; length++) {
      expect([undefined, 400, 415]).toContain(refusalOf(whole.subarray(0, length))?.code)
    }
    const changed = fc.property(
      fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 5 }),
      (changes) => {
        const body = Buffer.from(whole)
        for (const [at, byte] of changes) body[at] = byte
        expect([undefined, 400, 415]).toContain(refusalOf(body)?.code)
      }
    )
    fc.assert(changed, { seed, numRuns: 4000 })
  })

  it("of random bytes in a valid envelope is decoded, or refused with 400", () => {
    const anything = fc.property(fc.uint8Array({ maxLength: 200 }), (raw) => {
      expect([undefined, 400]).toContain(refusalOf(enveloped(Buffer.from(raw), deployment))?.code)
    })
    fc.assert(anything, { seed, numRuns: 4000 })
  })
})

describe("the server", () => {
  it("stores a protobuf body like the same JSON, and answers in JSON", () =>
    withTestServer(async ({ request }) => {
      const object = aDeployment() as Record<string, unknown>
      const dry = `${deployments}?dryRun=All&fieldValidation=Strict`
      const asJson = await request("POST", dry, { body: object })
      const asProtobuf = await request("POST", dry, { body: protobufOf(object, deployment), headers })
      expect(asProtobuf.code).toBe(201)
      expect(asProtobuf.headers["content-type"]).toBe("application/json")
      expect(asProtobuf.json.spec).toEqual(asJson.json.spec)
      expect(asProtobuf.json.metadata.labels).toEqual(asJson.json.metadata.labels)
    }))

  it("validates a protobuf body, and refuses another kind than the path's", () =>
    withTestServer(async ({ request }) => {
      const spec = { template: {}, selector: {}, strategy: {} }
      const invalid = await request("POST", deployments, {
        body: protobufOf({ metadata: { name: "web" }, spec }, deployment),
        headers
      })
      expect([invalid.code, invalid.json.reason]).toEqual([422, "Invalid"])
      const body = protobufOf({ metadata: { name: "a" } }, { apiVersion: "v1", kind: "ConfigMap" })
      const elsewhere = await request("POST", deployments, { body, headers })
      expect([elsewhere.code, elsewhere.json.reason]).toEqual([400, "BadRequest"])
      expect((await request("POST", configMaps, { body, headers })).code).toBe(201)
    }))

  it("decodes DeleteOptions of any version", () =>
    withTestServer(async ({ request }) => {
      await request("POST", pods, { body: aPod() })
      const gone = await request("DELETE", `${pods}/web-1`, {
        body: protobufOf(
          { preconditions: { uid: "another" } },
          { apiVersion: "apps/v1", kind: "DeleteOptions" }
        ),
        headers
      })
      expect([gone.code, gone.json.reason]).toEqual([409, "Conflict"])
    }))

  it("refuses a patch in protobuf", () =>
    withTestServer(async ({ request }) => {
      await request("POST", deployments, { body: aDeployment() })
      const patch = protobufOf({ spec: { replicas: 0 } }, deployment)
      const refused = await request("PATCH", `${deployments}/web`, { body: patch, headers })
      expect(statusSummary(refused)).toMatchObject({ code: 415, reason: "UnsupportedMediaType" })
      const { json } = await request("PATCH", `${deployments}/web`, {
        body: { spec: { replicas: 0 } },
        headers: patchType.merge
      })
      expect(json.spec.replicas).toBe(0)
    }))
})
