import { describe, expect, it } from "vitest"
import { validateCreate, validateUpdate } from "../../../../src/kubernetes/admission/admit.ts"
import { kindNamed, texts } from "../../admission/drafts.ts"
import type { Draft } from "../../../../src/kubernetes/meta/objects.ts"

const [configMaps, secrets] = [kindNamed("ConfigMap"), kindNamed("Secret")]

const drafted = (kind: string, more: object): Draft => ({
  apiVersion: "v1",
  kind,
  metadata: { name: "kept", namespace: "shop", resourceVersion: "7" },
  ...more
})
const aConfigMap = (more: object): Draft => drafted("ConfigMap", more)
const aSecret = (more: object): Draft => drafted("Secret", { type: "Opaque", ...more })

const keyRule =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or " +
  "'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"

describe("a ConfigMap (TestValidateConfigMap)", () => {
  it.each([
    { why: "may hold nothing", more: {}, errors: [] },
    { why: "may hold texts and bytes", more: { data: { a: "1" }, binaryData: { b: "MQ==" } }, errors: [] },
    {
      why: "holds each thing once",
      more: { data: { a: "1", b: "2" }, binaryData: { b: "MQ==", c: "MQ==" } },
      errors: ['data[b]: Invalid value: "b": duplicate of key present in binaryData']
    },
    {
      why: "holds texts under names that files may have",
      more: { data: { "a/b": "1" } },
      errors: [`data[a/b]: Invalid value: "a/b": ${keyRule}`]
    },
    {
      why: "holds bytes under names that files may have",
      more: { binaryData: { "..": "MQ==" } },
      errors: [`binaryData[..]: Invalid value: "..": must not be '..'`]
    }
  ])("$why", ({ more, errors }) => {
    expect(texts(validateCreate(configMaps, aConfigMap(more)))).toEqual(errors)
  })
})

describe("a Secret (TestValidateSecret)", () => {
  const account = "kubernetes.io/service-account.name"
  const token = (annotations?: Readonly<Record<string, string>>) => ({
    type: "kubernetes.io/service-account-token",
    metadata: { name: "kept", namespace: "shop", ...(annotations === undefined ? {} : { annotations }) }
  })
  const noAccount = [`metadata.annotations[${account}]: Required value`]
  const missing = (...keys: ReadonlyArray<string>) => keys.map((key) => `data[${key}]: Required value`)

  it.each([
    { why: "may hold nothing", more: {}, errors: [] },
    { why: "may be of a type that only its owner knows", more: { type: "example.com/mine" }, errors: [] },
    {
      why: "holds what it holds under names that files may have",
      more: { data: { "a b": "MQ==" } },
      errors: [`data[a b]: Invalid value: "a b": ${keyRule}`]
    },
    { why: "for an account names it", more: token({ [account]: "robot" }), errors: [] },
    { why: "for an account names it by a name", more: token({ [account]: "" }), errors: noAccount },
    { why: "for an account names it itself", more: token({ note: "robot" }), errors: noAccount },
    { why: "for an account is annotated", more: token(), errors: noAccount },
    {
      why: "for TLS holds a certificate and a key",
      more: { type: "kubernetes.io/tls", data: { "tls.crt": "", "tls.key": "MQ==" } },
      errors: []
    },
    {
      why: "for TLS does not hold a certificate alone",
      more: { type: "kubernetes.io/tls", data: { "tls.crt": "MQ==" } },
      errors: missing("tls.key")
    },
    {
      why: "for TLS holds something",
      more: { type: "kubernetes.io/tls" },
      errors: missing("tls.crt", "tls.key")
    },
    {
      why: "for basic authentication may hold a name alone",
      more: { type: "kubernetes.io/basic-auth", data: { username: "MQ==" } },
      errors: []
    },
    {
      why: "for basic authentication may hold a password alone",
      more: { type: "kubernetes.io/basic-auth", data: { password: "MQ==" } },
      errors: []
    },
    {
      why: "for basic authentication holds one of them",
      more: { type: "kubernetes.io/basic-auth", data: { user: "MQ==" } },
      errors: missing("username", "password")
    },
    {
      why: "for SSH holds a key",
      more: { type: "kubernetes.io/ssh-auth", data: { "ssh-privatekey": "MQ==" } },
      errors: []
    },
    {
      why: "for SSH holds a key that is not empty",
      more: { type: "kubernetes.io/ssh-auth", data: { "ssh-privatekey": "" } },
      errors: missing("ssh-privatekey")
    },
    {
      why: "for SSH holds a private key",
      more: { type: "kubernetes.io/ssh-auth", data: { "ssh-publickey": "MQ==" } },
      errors: missing("ssh-privatekey")
    },
    {
      why: "for a registry holds its file",
      more: { type: "kubernetes.io/dockerconfigjson", data: { ".dockerconfigjson": "e30=" } },
      errors: []
    },
    {
      why: "for a registry does not hold its old file instead",
      more: { type: "kubernetes.io/dockerconfigjson", data: { ".dockercfg": "e30=" } },
      errors: missing(".dockerconfigjson")
    },
    {
      why: "for a registry of old holds its old file",
      more: { type: "kubernetes.io/dockercfg", data: { ".dockercfg": "e30=" } },
      errors: []
    },
    {
      why: "for a registry of old does not hold its new file instead",
      more: { type: "kubernetes.io/dockercfg", data: { ".dockerconfigjson": "e30=" } },
      errors: missing(".dockercfg")
    }
  ])("$why", ({ more, errors }) => {
    expect(texts(validateCreate(secrets, aSecret(more)))).toEqual(errors)
  })
})

const fixed = (field: string) => `${field}: Forbidden: field is immutable when \`immutable\` is set`

describe("a stored ConfigMap (TestValidateConfigMapUpdate)", () => {
  const kept = { immutable: true, data: { a: "1" }, binaryData: { b: "MQ==" } }

  it.each([
    { why: "may change", from: { data: { a: "1" } }, to: { data: { a: "2" } }, errors: [] },
    {
      why: "may change after it has said that it may",
      from: { ...kept, immutable: false },
      to: { immutable: false, data: { c: "3" } },
      errors: []
    },
    {
      why: "may change for the last time",
      from: { data: { a: "1" } },
      to: { data: { a: "2" }, immutable: true },
      errors: []
    },
    { why: "that never changes may be written again", from: kept, to: { ...kept }, errors: [] },
    {
      why: "that never changes has no other text",
      from: kept,
      to: { ...kept, data: { a: "2" } },
      errors: [fixed("data")]
    },
    {
      why: "that never changes has no other bytes",
      from: kept,
      to: { ...kept, binaryData: { b: "Mg==" } },
      errors: [fixed("binaryData")]
    },
    {
      why: "that never changes does not take that back",
      from: kept,
      to: { ...kept, immutable: false },
      errors: [fixed("immutable")]
    },
    {
      why: "that never changes does not lose everything",
      from: kept,
      to: {},
      errors: ["immutable", "data", "binaryData"].map(fixed)
    },
    {
      why: "is a ConfigMap still",
      from: {},
      to: { data: { ".": "1" } },
      errors: [`data[.]: Invalid value: ".": must not be '.'`]
    }
  ])("$why", ({ from, to, errors }) => {
    expect(texts(validateUpdate(configMaps, aConfigMap(to), aConfigMap(from)))).toEqual(errors)
  })
})

describe("a stored Secret (TestValidateSecretUpdate)", () => {
  const kept = { immutable: true, data: { a: "MQ==" } }

  it.each([
    { why: "may change", from: { data: { a: "MQ==" } }, to: { data: { a: "Mg==" } }, errors: [] },
    {
      why: "is of the type it was",
      from: { type: "example.com/one" },
      to: { type: "example.com/two" },
      errors: ['type: Invalid value: "example.com/two": field is immutable']
    },
    { why: "that never changes may be written again", from: kept, to: { ...kept }, errors: [] },
    {
      why: "that never changes holds nothing else",
      from: kept,
      to: { ...kept, data: { b: "MQ==" } },
      errors: [fixed("data")]
    },
    {
      why: "that never changes goes on saying so",
      from: kept,
      to: { data: kept.data },
      errors: [fixed("immutable")]
    },
    {
      why: "holds what its type needs",
      from: { type: "kubernetes.io/dockercfg", data: { ".dockercfg": "e30=" } },
      to: { type: "kubernetes.io/dockercfg", data: {} },
      errors: ["data[.dockercfg]: Required value"]
    }
  ])("$why", ({ from, to, errors }) => {
    expect(texts(validateUpdate(secrets, aSecret(to), aSecret(from)))).toEqual(errors)
  })
})
