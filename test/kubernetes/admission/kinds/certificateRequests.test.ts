import { describe, expect, it } from "vitest"
import { validateCreate, validateStatusUpdate } from "../../../../src/kubernetes/admission/admit.ts"
import { kindNamed, type LooseDraft } from "../../../builders.ts"
import { errorTexts } from "../drafts.ts"

const requests = kindNamed("CertificateSigningRequest")

const encoded = (text: string): string => Buffer.from(text).toString("base64")
const pem = (type: string): string => encoded(`-----BEGIN ${type}-----\nMAA=\n-----END ${type}-----\n`)

const spec = {
  request: pem("CERTIFICATE REQUEST"),
  signerName: "example.com/signer",
  usages: ["client auth"]
}

const aRequest = (more: object, status?: object): LooseDraft => ({
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  metadata: { name: "web" },
  spec: { ...spec, ...more },
  ...(status === undefined ? {} : { status })
})

const certificateBlocks = (...types: ReadonlyArray<string>): string =>
  encoded(types.map((type) => `-----BEGIN ${type}-----\nMAA=\n-----END ${type}-----\n`).join("text\n"))

describe("a new CertificateSigningRequest", () => {
  const noPem = "PEM block type must be CERTIFICATE REQUEST"
  const fullName = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
  const badLabel = (text: string, label: string, rule: string): string =>
    `spec.signerName: Invalid value: "${text}": validating label "${label}": ${rule}`
  const labelRule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and " +
    "end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is " +
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
  const longLabel = "a".repeat(63)
  const longDomain = Array.from({ length: 4 }, () => longLabel)
    .join(".")
    .slice(0, 253)
  const longSigner = Array.from({ length: 6 }, () => longLabel)
    .join(".")
    .slice(0, 317)

  it.each([
    { why: "is valid", more: {}, errors: [] },
    {
      why: "may have text before its PEM block, and blanks after its beginning",
      more: {
        request: encoded(
          "hello\n-----BEGIN CERTIFICATE REQUEST----- \nMAA=\n-----END CERTIFICATE REQUEST-----"
        )
      },
      errors: []
    },
    {
      why: "needs its PEM block first",
      more: { request: certificateBlocks("CERTIFICATE", "CERTIFICATE REQUEST") },
      errors: [
        `spec.request: Invalid value: "${certificateBlocks("CERTIFICATE", "CERTIFICATE REQUEST")}": ${noPem}`
      ]
    },
    { why: "may be valid for 10 minutes", more: { expirationSeconds: 600 }, errors: [] },
    {
      why: "may not be valid for less",
      more: { expirationSeconds: 599 },
      errors: [
        "spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)"
      ]
    },
    { why: "needs a usage", more: { usages: [] }, errors: ["spec.usages: Required value"] },
    {
      why: "names each usage once",
      more: { usages: ["signing", "any", "signing"] },
      errors: ['spec.usages[2]: Duplicate value: "signing"']
    },
    { why: "needs a signer", more: { signerName: "" }, errors: ["spec.signerName: Required value"] },
    {
      why: "needs another signer than the legacy one",
      more: { signerName: "kubernetes.io/legacy-unknown" },
      errors: [
        'spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": ' +
          "the legacy signerName is not allowed via this API version"
      ]
    },
    {
      why: "needs a signer with a domain",
      more: { signerName: "signer" },
      errors: [`spec.signerName: Invalid value: "signer": ${fullName}`]
    },
    {
      why: "needs a signer with a single path",
      more: { signerName: "example.com/a/b" },
      errors: [`spec.signerName: Invalid value: "example.com/a/b": ${fullName}`]
    },
    {
      why: "needs a signer whose domain has two segments",
      more: { signerName: "example/signer" },
      errors: [
        'spec.signerName: Invalid value: "example": should be a domain with at least two segments separated by dots'
      ]
    },
    {
      why: "names the first label of the domain that is wrong",
      more: { signerName: "a.B.C/signer" },
      errors: [badLabel("a.B.C", "B", labelRule)]
    },
    {
      why: "has a domain of at most 253 and a path of at most 317 characters",
      more: { signerName: `${longDomain}/${longSigner}` },
      errors: []
    },
    {
      why: "has no longer domain",
      more: { signerName: `${longDomain}.a/signer` },
      errors: ["spec.signerName: Too long: may not be more than 253 bytes"]
    },
    {
      why: "has no longer path",
      more: { signerName: `${longDomain}/${longSigner}a` },
      errors: ["spec.signerName: Too long: may not be more than 571 bytes"]
    }
  ])("$why", ({ more, errors }) => {
    expect(errorTexts(validateCreate(requests, aRequest(more)))).toEqual(errors)
  })

  it("needs a spec", () => {
    const { spec: _spec, ...bare } = aRequest({})
    expect(errorTexts(validateCreate(requests, bare))).toEqual([
      `spec.request: Invalid value: null: ${noPem}`,
      "spec.usages: Required value",
      "spec.signerName: Required value"
    ])
  })
})

describe("the status of a CertificateSigningRequest", () => {
  const approved = { type: "Approved", status: "True" }
  const denied = { type: "Denied", status: "True" }
  const failed = { type: "Failed", status: "True" }
  const exclusive = (index: number, type: string): string =>
    `status.conditions[${index}].type: Invalid value: "${type}": Approved and Denied conditions are mutually exclusive`
  const mayNot = (verb: string, type: string): string =>
    `status.conditions: Forbidden: updates may not ${verb} a condition of type "${type}"`
  const certificateError = (why: string): string =>
    `status.certificate: Invalid value: "<certificate data>": ${why}`
  const certificate = pem("CERTIFICATE")

  it.each([
    { why: "may stay empty", old: undefined, status: undefined, isApproval: false, errors: [] },
    { why: "may be approved", old: {}, status: { conditions: [approved] }, isApproval: true, errors: [] },
    {
      why: "is not approved by another write",
      old: {},
      status: { conditions: [approved] },
      isApproval: false,
      errors: [mayNot("add", "Approved")]
    },
    {
      why: "keeps its approval as it is in another write",
      old: { conditions: [approved] },
      status: { conditions: [{ ...approved, reason: "Other" }] },
      isApproval: false,
      errors: [mayNot("modify", "Approved")]
    },
    {
      why: "may repeat its approval in another write",
      old: { conditions: [approved] },
      status: { conditions: [{ ...approved }, failed] },
      isApproval: false,
      errors: []
    },
    {
      why: "changes the reason of its approval by an approval",
      old: { conditions: [approved] },
      status: { conditions: [{ ...approved, reason: "Other" }] },
      isApproval: true,
      errors: []
    },
    {
      why: "loses no final condition, whatever the write",
      old: { conditions: [approved, failed] },
      status: {},
      isApproval: true,
      errors: [mayNot("remove", "Approved"), mayNot("remove", "Failed")]
    },
    {
      why: "loses none by another write either",
      old: { conditions: [denied] },
      status: {},
      isApproval: false,
      errors: [mayNot("remove", "Denied")]
    },
    {
      why: "is not both approved and denied",
      old: {},
      status: { conditions: [denied, approved] },
      isApproval: true,
      errors: [exclusive(1, "Approved")]
    },
    {
      why: "may fail after its approval",
      old: { conditions: [approved] },
      status: { conditions: [approved, failed] },
      isApproval: true,
      errors: []
    },
    {
      why: "is approved once",
      old: {},
      status: { conditions: [approved, approved] },
      isApproval: true,
      errors: ['status.conditions[1].type: Duplicate value: "Approved"']
    },
    {
      why: "has each condition once",
      old: {},
      status: { conditions: [failed, failed] },
      isApproval: true,
      errors: ['status.conditions[1].type: Duplicate value: "Failed"']
    },
    {
      why: "has final conditions that are True",
      old: {},
      status: { conditions: [{ type: "Failed", status: "Unknown" }] },
      isApproval: true,
      errors: ['status.conditions[0].status: Unsupported value: "Unknown": supported values: "True"']
    },
    {
      why: "has other conditions with any known status",
      old: {},
      status: {
        conditions: [
          { type: "Mine", status: "Unknown" },
          { type: "Yours", status: "Perhaps" }
        ]
      },
      isApproval: true,
      errors: [
        'status.conditions[1].status: Unsupported value: "Perhaps": supported values: "False", "True", "Unknown"'
      ]
    },
    {
      why: "has conditions with a type and a status",
      old: {},
      status: { conditions: [{}] },
      isApproval: true,
      errors: ["status.conditions[0].type: Required value", "status.conditions[0].status: Required value"]
    },
    { why: "may get its certificate", old: {}, status: { certificate }, isApproval: false, errors: [] },
    {
      why: "may get a chain of certificates",
      old: {},
      status: { certificate: certificateBlocks("CERTIFICATE", "CERTIFICATE") },
      isApproval: false,
      errors: []
    },
    {
      why: "keeps its certificate",
      old: { certificate },
      status: { certificate },
      isApproval: false,
      errors: []
    },
    {
      why: "does not change its certificate",
      old: { certificate },
      status: { certificate: certificateBlocks("CERTIFICATE", "CERTIFICATE") },
      isApproval: false,
      errors: ["status.certificate: Forbidden: updates may not modify existing certificate content"]
    },
    {
      why: "does not lose its certificate",
      old: { certificate },
      status: {},
      isApproval: false,
      errors: ["status.certificate: Forbidden: updates may not modify existing certificate content"]
    },
    {
      why: "has no other block among the certificates",
      old: {},
      status: { certificate: certificateBlocks("CERTIFICATE", "PRIVATE KEY") },
      isApproval: false,
      errors: [certificateError('only CERTIFICATE PEM blocks are allowed, found "PRIVATE KEY"')]
    },
    {
      why: "has at least one certificate",
      old: {},
      status: { certificate: encoded("text") },
      isApproval: false,
      errors: [certificateError("must contain at least one CERTIFICATE PEM block")]
    },
    {
      why: "may keep a certificate that is none",
      old: { certificate: encoded("text") },
      status: { certificate: encoded("text") },
      isApproval: false,
      errors: []
    }
  ])("$why", ({ old, status, isApproval, errors }) => {
    const found = validateStatusUpdate(requests, aRequest({}, status), aRequest({}, old), isApproval)
    expect(errorTexts(found)).toEqual(errors)
  })
})
