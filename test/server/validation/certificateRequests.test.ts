import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { duplicate, forbidden, invalid, invalidStatus, required, unsupported } from "./validationCauses.ts"
import { patchType } from "../apiObjects.ts"
import { openTestServer } from "../testServer.ts"
import type { InvalidBody } from "./validationCauses.ts"
import type { Json, TestServer } from "../testServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server.close())

const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests"

const pem = (type: string): string =>
  Buffer.from(`-----BEGIN ${type}-----\nMAA=\n-----END ${type}-----\n`).toString("base64")

const spec = {
  request: pem("CERTIFICATE REQUEST"),
  signerName: "example.com/signer",
  usages: ["client auth", "digital signature"]
}

const aRequest = (name: string, more: object = {}, rest: object = {}): Json => ({
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  metadata: { name },
  spec: { ...spec, ...more },
  ...rest
})

const storeRequest = async (name: string, labels?: object): Promise<Json> => {
  const body = aRequest(name, {}, { metadata: { name, labels } })
  const { code, json } = await server.request("POST", path, { body })
  expect(code).toBe(201)
  return json
}

const put = (name: string, part: string, body: Json) =>
  server.request("PUT", `${path}/${name}/${part}`, { body: { ...body, metadata: { name } } })

const approved = { type: "Approved", status: "True", reason: "Test" }
const denied = { type: "Denied", status: "True" }
const withStatus = (name: string, status: object): Json => aRequest(name, {}, { status })

const admin = { username: "charthouse-admin", groups: ["system:masters", "system:authenticated"] }

describe("the spec of a new CertificateSigningRequest names the user of the request", () => {
  const claims = { username: "root", uid: "0", groups: ["system:masters"], extra: { scope: ["all"] } }

  it.each([
    { headers: {}, user: admin, why: "the owner of the token" },
    {
      headers: {
        "impersonate-user": "jane",
        "impersonate-uid": "7",
        "impersonate-group": "builders",
        "impersonate-extra-team": "a"
      },
      user: {
        username: "jane",
        uid: "7",
        groups: ["builders", "system:authenticated"],
        extra: { team: ["a"] }
      },
      why: "the impersonated user"
    }
  ])("$why, whatever user the body names", async ({ headers, user }) => {
    for (const more of [{}, claims]) {
      const body = aRequest("x", more, { status: { conditions: [approved] } })
      const { code, json } = await server.request("POST", `${path}?dryRun=All`, { body, headers })
      expect([code, json.spec, json.status]).toEqual([201, { ...spec, ...user }, {}])
    }
    const apply = { body: aRequest("x", claims), headers: { ...headers, ...patchType.apply } }
    const { json } = await server.request("PATCH", `${path}/x?fieldManager=m&dryRun=All`, apply)
    expect(json.spec).toEqual({ ...spec, ...user })
  })

  it("the user of the token, when the library creates it", async () => {
    const made = await Effect.runPromise(server.cluster.create(aRequest("by-program", claims)))
    expect(made).toMatchObject({ spec: { ...spec, ...admin } })
  })
})

describe("a stored CertificateSigningRequest", () => {
  it("keeps spec and status on PUT and PATCH, and records no owner for them", async () => {
    const before = await storeRequest("kept", { first: "1" })
    const changes = { spec: { ...spec, signerName: "example.com/other", username: "root" } }
    const labels = { a: "b" }
    const body = {
      ...before,
      ...changes,
      metadata: { name: "kept", labels },
      status: { conditions: [denied] }
    }
    const answers = [
      await server.request("PUT", `${path}/kept`, { body }),
      await server.request("PATCH", `${path}/kept`, { body: changes, headers: patchType.merge })
    ]
    for (const { code, json } of answers) {
      expect([code, json.spec, json.status, json.metadata.labels]).toEqual([200, before.spec, {}, labels])
      expect(json.metadata.managedFields.map((it: Json) => Object.keys(it.fieldsV1))).toEqual([
        ["f:metadata"]
      ])
    }
  })

  it("takes only conditions on /approval, and sets their missing times", async () => {
    const { spec: before } = await storeRequest("approved")
    const status = { conditions: [approved], certificate: pem("CERTIFICATE") }
    const { code, json } = await put("approved", "approval", { ...withStatus("approved", status), spec: {} })
    const now = json.metadata.creationTimestamp
    const condition = { ...approved, lastUpdateTime: now, lastTransitionTime: now }
    expect([code, json.spec, json.status]).toEqual([200, before, { conditions: [condition] }])
    const patch = { status: { conditions: [{ ...approved, message: "again" }] } }
    for (const headers of [patchType.merge, patchType.strategic]) {
      const { json } = await server.request("PATCH", `${path}/approved/approval`, { body: patch, headers })
      expect(json.status).toEqual({ conditions: [{ ...condition, message: "again" }] })
    }
  })

  it("takes its certificate once on /status, which keeps the Approved condition", async () => {
    await storeRequest("issued")
    const { json } = await put("issued", "approval", withStatus("issued", { conditions: [approved] }))
    const [kept] = json.status.conditions
    const certificate = pem("CERTIFICATE")
    const status = { certificate, conditions: [{ ...approved, reason: "Other" }] }
    const issued = await put("issued", "status", withStatus("issued", status))
    expect([issued.code, issued.json.status]).toEqual([200, { certificate, conditions: [kept] }])
    const other = Buffer.from(`${Buffer.from(certificate, "base64").toString()}\n`).toString("base64")
    const { code, json: refused } = await put(
      "issued",
      "status",
      withStatus("issued", { conditions: [kept], certificate: other })
    )
    const cause = forbidden("status.certificate", "updates may not modify existing certificate content")
    expect([code, refused]).toEqual([422, invalidStatus(aRequest("issued"), [cause])])
  })

  const conditions = "status.conditions"
  it.each([
    {
      part: "status",
      status: { conditions: [approved] },
      causes: [forbidden(conditions, 'updates may not add a condition of type "Approved"')],
      why: "approved on /status"
    },
    {
      part: "approval",
      status: { conditions: [approved, denied] },
      causes: [
        invalid(`${conditions}[1].type`, '"Denied"', "Approved and Denied conditions are mutually exclusive")
      ],
      why: "both approved and denied"
    },
    {
      part: "approval",
      status: { conditions: [{ ...approved, status: "False" }] },
      causes: [unsupported(`${conditions}[0].status`, '"False"', '"True"')],
      why: "approved by a condition whose status is False"
    },
    {
      part: "status",
      status: { certificate: pem("PRIVATE KEY") },
      causes: [
        invalid(
          "status.certificate",
          '"<certificate data>"',
          'only CERTIFICATE PEM blocks are allowed, found "PRIVATE KEY"'
        )
      ],
      why: "issued with another PEM block than a certificate"
    }
  ])("is not $why", async ({ part, status, causes }) => {
    const name = `refused-${part}-${causes.join().length}`
    await storeRequest(name)
    const { code, json } = await put(name, part, withStatus(name, status))
    expect([code, json]).toEqual([422, invalidStatus(aRequest(name), causes)])
  })

  it("is selected by spec.signerName", async () => {
    await storeRequest("found")
    const named = async (signer: string) => {
      const { json } = await server.request("GET", `${path}?fieldSelector=spec.signerName%3D${signer}`)
      return json.items.map(({ metadata }: Json) => metadata.name)
    }
    expect(await named("example.com/signer")).toContain("found")
    expect(await named("example.com/other")).toEqual([])
  })

  it("does not lose its Denied condition", async () => {
    await storeRequest("final")
    await put("final", "approval", withStatus("final", { conditions: [denied] }))
    const { code, json } = await put("final", "approval", withStatus("final", { conditions: [] }))
    const cause = forbidden(conditions, 'updates may not remove a condition of type "Denied"')
    expect([code, json]).toEqual([422, invalidStatus(aRequest("final"), [cause])])
  })
})

describe("a new CertificateSigningRequest is refused", () => {
  const noPem = "PEM block type must be CERTIFICATE REQUEST"
  const key = pem("PRIVATE KEY")
  const usages =
    '"any", "cert sign", "client auth", "code signing", "content commitment", "crl sign", "data encipherment", ' +
    '"decipher only", "digital signature", "email protection", "encipher only", "ipsec end system", ' +
    '"ipsec tunnel", "ipsec user", "key agreement", "key encipherment", "microsoft sgc", "netscape sgc", ' +
    '"ocsp signing", "s/mime", "server auth", "signing", "timestamping"'
  const rows: ReadonlyArray<InvalidBody> = [
    {
      body: { ...aRequest("a"), spec: {} },
      causes: [invalid("spec.request", "null", noPem), required("spec.usages"), required("spec.signerName")],
      why: "with an empty spec"
    },
    {
      body: aRequest("a", { request: key }),
      causes: [invalid("spec.request", `"${key}"`, noPem)],
      why: "whose request is another PEM block"
    },
    {
      body: aRequest("a", { usages: ["signing", "dancing", "signing"] }),
      causes: [unsupported("spec.usages[1]", '"dancing"', usages), duplicate("spec.usages[2]", '"signing"')],
      why: "with an unknown usage and a repeated usage"
    },
    {
      body: aRequest("a", { signerName: "example.com" }),
      causes: [
        invalid(
          "spec.signerName",
          '"example.com"',
          "must be a fully qualified domain and path of the form 'example.com/signer-name'"
        )
      ],
      why: "whose signerName has no path"
    },
    {
      body: aRequest("a", { signerName: "kubernetes.io/legacy-unknown", expirationSeconds: 599 }),
      causes: [
        invalid(
          "spec.signerName",
          '"kubernetes.io/legacy-unknown"',
          "the legacy signerName is not allowed via this API version"
        ),
        invalid(
          "spec.expirationSeconds",
          "599",
          "may not specify a duration less than 600 seconds (10 minutes)"
        )
      ],
      why: "with the legacy signerName and expirationSeconds below 600"
    }
  ]
  it.each(rows)("$why", async ({ body, causes }) => {
    const { code, json } = await server.request("POST", path, { body })
    expect(json).toEqual(invalidStatus(body, causes))
    expect(code).toBe(422)
  })
})
