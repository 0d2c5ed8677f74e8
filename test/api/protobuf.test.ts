import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parseBody } from "../../src/server/requests/decodeBody.ts"
import { decodeProtobufObject } from "../../src/server/protobuf/protobufEnvelope.ts"
import { Refusal, toStatus } from "../../src/server/http/statuses.ts"
import { aDeployment, aPod, configMaps, deployments, patchType, pods, told } from "./drafts.ts"
import { enveloped, protobufOf } from "./protobufWriter.ts"
import { inWorld } from "./world.ts"

const seed = 20_260_712
const contentType = "application/vnd.kubernetes.protobuf"
const headers = { "content-type": contentType }

/** What kubectl 1.36 sends, and what it says that it sends. A null is a list that protobuf does not have at all. */
const sent = readFileSync(join(import.meta.dirname, "protobufBodies.txt"), "utf8")
  .trim()
  .split("\n\n")
  .map((block) => {
    const [command = "", body = "", json = ""] = block.split("\n")
    const said: unknown = JSON.parse(json, (_key, value: unknown) => value ?? undefined)
    return { command, body: Buffer.from(body, "base64"), said }
  })

describe("what kubectl sends", () => {
  it.each(sent)("with $command is read as it says itself", ({ body, said }) => {
    expect(decodeProtobufObject(body)).toEqual(said)
  })
})

const deployment = { apiVersion: "apps/v1", kind: "Deployment" }
const specOf = (spec: object): unknown => decodeProtobufObject(protobufOf({ spec }, deployment))?.["spec"]

describe("a zero on the wire", () => {
  const rows = [
    { spec: { replicas: 0 }, why: "no replicas are not one replica" },
    { spec: { minReadySeconds: 0 }, read: {}, why: "JSON leaves it out" },
    { spec: { paused: false }, read: {}, why: "JSON leaves it out" },
    { spec: { strategy: { type: "" } }, read: { strategy: {} }, why: "the struct is there, its text is not" },
    { spec: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: "0%" } } }, why: "it is a choice" }
  ]
  it.each(rows)("of $spec is read as $read: $why", ({ spec, read = spec }) => {
    expect(specOf(spec)).toEqual(read)
  })

  it("is kept where JSON has the field in any case", () => {
    const type = { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass" }
    expect(decodeProtobufObject(protobufOf({ value: 0, globalDefault: false }, type))).toEqual({
      ...type,
      value: 0
    })
  })
})

describe("values that are messages", () => {
  const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease" }

  it("are times of whole seconds, or of microseconds where JSON has them", () => {
    const creationTimestamp = "2026-07-12T01:02:03Z"
    const object = { metadata: { creationTimestamp }, spec: { renewTime: "2026-07-12T01:02:03.000045Z" } }
    expect(decodeProtobufObject(protobufOf(object, lease))).toEqual({ ...lease, ...object })
    const cut = { metadata: { creationTimestamp: "2026-07-12T01:02:03.999999Z" } }
    expect(decodeProtobufObject(protobufOf(cut, lease))).toEqual({
      ...lease,
      metadata: { creationTimestamp }
    })
  })

  it("are no time where a time says nothing", () => {
    // metadata (field 1) with an empty creationTimestamp (field 8).
    expect(decodeProtobufObject(enveloped(Buffer.from("0a024200", "hex"), lease))).toEqual({
      ...lease,
      metadata: {}
    })
  })

  it("are maps that may have any key and change nothing else", () => {
    const data = JSON.parse('{"__proto__":"x","constructor":"y","plain":"z"}') as object
    const type = { apiVersion: "v1", kind: "ConfigMap" }
    const read = decodeProtobufObject(protobufOf({ data }, type))?.["data"]
    expect(Object.entries(read ?? {})).toEqual(Object.entries(data))
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
    expect("x" in {}).toBe(false)
  })

  it("are the last one where one is given twice, and all of them in a list", () => {
    const port = (number: number) => Buffer.from([0x18, number])
    const container = (...parts: ReadonlyArray<Buffer>) => field(6, Buffer.concat(parts))
    const raw = field(2, field(2, container(port(80), port(81)), container(port(82))))
    const read = decodeProtobufObject(enveloped(raw, { apiVersion: "v1", kind: "Pod" }))
    expect(read?.["spec"]).toEqual({
      containers: [{ ports: [{ containerPort: 81 }, { containerPort: 82 }] }]
    })
  })
})

/** A field of bytes, shorter than 128 of them. */
const field = (number: number, ...parts: ReadonlyArray<Buffer>): Buffer => {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), content])
}

/** The code and message that a body is refused with; undefined where it is read. */
const refusalOf = (
  body: Buffer
): { readonly code: number; readonly message: string | undefined } | undefined => {
  try {
    parseBody({ body, contentType })
    return undefined
  } catch (error) {
    // Anything else would be answered with a 500.
    if (!(error instanceof Refusal)) throw error
    const { code, message } = toStatus(error)
    return { code, message }
  }
}

const unknown =
  "the body of the request was in an unknown format - " +
  "accepted media types include: application/json, application/yaml"
const broken = (why: string): string => `Deployment in version "v1" cannot be handled as a Deployment: ${why}`
const isDeployment = (hex: string): Buffer => enveloped(Buffer.from(hex, "hex"), deployment)
const isLease = (hex: string): Buffer =>
  enveloped(Buffer.from(hex, "hex"), { apiVersion: "coordination.k8s.io/v1", kind: "Lease" })

describe("a body", () => {
  const unknowns = [
    { body: Buffer.alloc(0), why: "is empty" },
    { body: Buffer.from("k8s\0"), why: "says of no kind what it is" },
    { body: Buffer.from("k8s"), why: "has not even the first letters" },
    { body: Buffer.from(JSON.stringify(aDeployment())), why: "is JSON" },
    { body: Buffer.concat([Buffer.from("k8s\0"), Buffer.alloc(99, 0xff)]), why: "holds no message" },
    { body: enveloped(Buffer.alloc(0), { apiVersion: "v1", kind: "Nothing" }), why: "is of an unknown kind" },
    {
      body: enveloped(Buffer.alloc(0), { apiVersion: "apps/v9", kind: "Deployment" }),
      why: "is of no version"
    },
    {
      body: enveloped(Buffer.alloc(0), { apiVersion: "v1", kind: "PodSpec" }),
      why: "is of a part of an object"
    },
    { body: enveloped(Buffer.alloc(0), { apiVersion: "v1", kind: "__proto__" }), why: "is of a trap" },
    {
      body: enveloped(Buffer.alloc(0), {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition"
      }),
      why: "is a definition, whose numbers are not known"
    },
    { body: enveloped(Buffer.alloc(0), { ...deployment, contentEncoding: "gzip" }), why: "is packed" },
    {
      body: enveloped(Buffer.from("{}"), { ...deployment, contentType: "application/json" }),
      why: "wraps JSON"
    }
  ]
  it.each(unknowns)("that $why is of an unknown format", ({ body }) => {
    expect(refusalOf(body)).toEqual({ code: 415, message: unknown })
  })

  const bytes = "proto: a field of bytes has another wire type"
  const broken400 = [
    { body: isDeployment("12ff01"), message: broken("unexpected EOF"), why: "ends too soon" },
    {
      body: isDeployment("12ffffffff0f"),
      message: broken("invalid length encoding"),
      why: "says that it is 4 GiB long"
    },
    { body: isDeployment("1001"), message: broken(bytes), why: "has a number for its spec" },
    {
      body: isDeployment("11aaaaaaaaaaaaaaaa"),
      message: broken(bytes),
      why: "has a fixed number for its spec"
    },
    {
      body: isDeployment("12020a00"),
      message: broken("proto: a field of a number has another wire type"),
      why: "has bytes for its replicas"
    },
    { body: isDeployment("0001"), message: broken("proto: illegal tag 0"), why: "has a field 0" },
    { body: isDeployment("1380"), message: broken("unexpected EOF"), why: "opens a group and stops" },
    {
      body: isDeployment("fb01".repeat(5000)),
      message: expect.stringMatching(/: max depth exceeded$/),
      why: "opens thousands of groups"
    },
    {
      body: isDeployment("120c08ffffffffffffffffffff7f"),
      message: broken("invalid varint encoding"),
      why: "has a number that does not end"
    },
    {
      body: isDeployment("0a0742050880c0ffff7f"),
      message: broken("unexpected EOF"),
      why: "has a length beyond what holds it"
    },
    {
      body: isLease("0a0a42080880808080808001"),
      message: expect.stringMatching(/: a time is not in the years 1 to 9999$/),
      why: "was made after the year 9999"
    },
    {
      body: isLease("0a0b8a01083a060a047b7b7b7b"),
      message: expect.stringMatching(/: a raw value is not JSON$/),
      why: "has managed fields that cannot be parsed"
    }
  ]
  it.each(broken400)("that $why is a bad request", ({ body, message }) => {
    expect(refusalOf(body)).toEqual({ code: 400, message })
  })

  it("that is cut off anywhere, or has any byte changed, is read or refused and nothing else", () => {
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

  it("of any bytes within a good beginning is read or refused and nothing else", () => {
    const anything = fc.property(fc.uint8Array({ maxLength: 200 }), (raw) => {
      expect([undefined, 400]).toContain(refusalOf(enveloped(Buffer.from(raw), deployment))?.code)
    })
    fc.assert(anything, { seed, numRuns: 4000 })
  })
})

describe("the server", () => {
  it("stores what was sent as protobuf as if it had been sent as JSON, and answers in JSON", () =>
    inWorld(async ({ request }) => {
      const object = aDeployment() as Record<string, unknown>
      const dry = `${deployments}?dryRun=All&fieldValidation=Strict`
      const asJson = await request("POST", dry, { body: object })
      const asProtobuf = await request("POST", dry, { body: protobufOf(object, deployment), headers })
      expect(asProtobuf.code).toBe(201)
      expect(asProtobuf.headers["content-type"]).toBe("application/json")
      expect(asProtobuf.json.spec).toEqual(asJson.json.spec)
      expect(asProtobuf.json.metadata.labels).toEqual(asJson.json.metadata.labels)
    }))

  it("validates it, and wants the kind that is served there", () =>
    inWorld(async ({ request }) => {
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

  it("reads the options of a deletion, in whatever version they are said to be", () =>
    inWorld(async ({ request }) => {
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

  it("takes no patch in it", () =>
    inWorld(async ({ request }) => {
      await request("POST", deployments, { body: aDeployment() })
      const patch = protobufOf({ spec: { replicas: 0 } }, deployment)
      const refused = await request("PATCH", `${deployments}/web`, { body: patch, headers })
      expect(told(refused)).toMatchObject({ code: 415, reason: "UnsupportedMediaType" })
      const { json } = await request("PATCH", `${deployments}/web`, {
        body: { spec: { replicas: 0 } },
        headers: patchType.merge
      })
      expect(json.spec.replicas).toBe(0)
    }))
})
