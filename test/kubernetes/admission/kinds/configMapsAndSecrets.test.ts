import { describe, expect, it } from "vitest"
import { kindNamed } from "../../../builders.ts"
import { validateCreate, validateUpdate } from "../../../../src/kubernetes/admission/admit.ts"
import { errorTexts } from "../drafts.ts"
import type { Draft } from "../../../../src/kubernetes/meta/objects.ts"

const [configMaps, secrets] = [kindNamed("ConfigMap"), kindNamed("Secret")]

const draftOf = (kind: string, more: object): Draft => ({
  apiVersion: "v1",
  kind,
  metadata: { name: "kept", namespace: "shop", resourceVersion: "7" },
  ...more
})
const aConfigMap = (more: object): Draft => draftOf("ConfigMap", more)
const aSecret = (more: object): Draft => draftOf("Secret", { type: "Opaque", ...more })

const keyRule =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or " +
  "'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"

const longKey = "k".repeat(254)
const mebibyte = 1024 * 1024
const base64 = (bytes: number): string => Buffer.alloc(bytes).toString("base64")

describe("a ConfigMap (TestValidateConfigMap)", () => {
  it.each([
    { why: "may be empty", more: {}, errors: [] },
    {
      why: "may have data and binaryData",
      more: { data: { a: "1" }, binaryData: { b: "MQ==" } },
      errors: []
    },
    {
      why: "rejects a key in both",
      more: { data: { a: "1", b: "2" }, binaryData: { b: "MQ==", c: "MQ==" } },
      errors: ['data[b]: Invalid value: "b": duplicate of key present in binaryData']
    },
    {
      why: "requires file names as keys of data",
      more: { data: { "a/b": "1" } },
      errors: [`data[a/b]: Invalid value: "a/b": ${keyRule}`]
    },
    {
      why: "requires file names as keys of binaryData",
      more: { binaryData: { "..": "MQ==" } },
      errors: [`binaryData[..]: Invalid value: "..": must not be '..'`]
    },
    {
      why: "allows two dots at the end of a key, not at its beginning",
      more: { data: { "..a": "1", "a..": "1" } },
      errors: [`data[..a]: Invalid value: "..a": must not start with '..'`]
    },
    {
      why: "limits a key to 253 characters",
      more: { data: { ["k".repeat(253)]: "1", [longKey]: "1" } },
      errors: [`data[${longKey}]: Invalid value: "${longKey}": must be no more than 253 characters`]
    },
    {
      why: "may have 1 MiB of texts and of decoded bytes",
      more: { data: { a: "é".repeat(mebibyte / 4) }, binaryData: { b: base64(mebibyte / 2) } },
      errors: []
    },
    {
      why: "may not have a byte more",
      more: { data: { a: "é".repeat(mebibyte / 4) }, binaryData: { b: base64(mebibyte / 2 + 1) } },
      errors: ["[]: Too long: may not be more than 1048576 bytes"]
    }
  ])("$why", ({ more, errors }) => {
    expect(errorTexts(validateCreate(configMaps, aConfigMap(more)))).toEqual(errors)
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
    { why: "may be empty", more: {}, errors: [] },
    { why: "may have any type", more: { type: "example.com/mine" }, errors: [] },
    {
      why: "requires file names as keys",
      more: { data: { "a b": "MQ==" } },
      errors: [`data[a b]: Invalid value: "a b": ${keyRule}`]
    },
    { why: "for a service account has its annotation", more: token({ [account]: "robot" }), errors: [] },
    { why: "for a service account rejects an empty name", more: token({ [account]: "" }), errors: noAccount },
    {
      why: "for a service account rejects other annotations",
      more: token({ note: "robot" }),
      errors: noAccount
    },
    { why: "for a service account requires annotations", more: token(), errors: noAccount },
    {
      why: "for TLS needs a certificate and a key, which may be empty",
      more: { type: "kubernetes.io/tls", data: { "tls.crt": "", "tls.key": "MQ==" } },
      errors: []
    },
    {
      why: "for TLS requires the key",
      more: { type: "kubernetes.io/tls", data: { "tls.crt": "MQ==" } },
      errors: missing("tls.key")
    },
    {
      why: "for TLS requires data",
      more: { type: "kubernetes.io/tls" },
      errors: missing("tls.crt", "tls.key")
    },
    {
      why: "for basic authentication may have a username only",
      more: { type: "kubernetes.io/basic-auth", data: { username: "MQ==" } },
      errors: []
    },
    {
      why: "for basic authentication may have a password only",
      more: { type: "kubernetes.io/basic-auth", data: { password: "MQ==" } },
      errors: []
    },
    {
      why: "for basic authentication requires one of them",
      more: { type: "kubernetes.io/basic-auth", data: { user: "MQ==" } },
      errors: missing("username", "password")
    },
    {
      why: "for SSH has a private key",
      more: { type: "kubernetes.io/ssh-auth", data: { "ssh-privatekey": "MQ==" } },
      errors: []
    },
    {
      why: "for SSH rejects an empty key",
      more: { type: "kubernetes.io/ssh-auth", data: { "ssh-privatekey": "" } },
      errors: missing("ssh-privatekey")
    },
    {
      why: "for SSH requires the private key",
      more: { type: "kubernetes.io/ssh-auth", data: { "ssh-publickey": "MQ==" } },
      errors: missing("ssh-privatekey")
    },
    {
      why: "of type dockerconfigjson has its file",
      more: { type: "kubernetes.io/dockerconfigjson", data: { ".dockerconfigjson": "e30=" } },
      errors: []
    },
    {
      why: "of type dockerconfigjson rejects the old file",
      more: { type: "kubernetes.io/dockerconfigjson", data: { ".dockercfg": "e30=" } },
      errors: missing(".dockerconfigjson")
    },
    {
      why: "of type dockercfg has its file",
      more: { type: "kubernetes.io/dockercfg", data: { ".dockercfg": "e30=" } },
      errors: []
    },
    {
      why: "of type dockercfg rejects the new file",
      more: { type: "kubernetes.io/dockercfg", data: { ".dockerconfigjson": "e30=" } },
      errors: missing(".dockercfg")
    }
  ])("$why", ({ more, errors }) => {
    expect(errorTexts(validateCreate(secrets, aSecret(more)))).toEqual(errors)
  })
})

const immutableError = (field: string) => `${field}: Forbidden: field is immutable when \`immutable\` is set`

describe("an update of a ConfigMap (TestValidateConfigMapUpdate)", () => {
  const immutableFields = { immutable: true, data: { a: "1" }, binaryData: { b: "MQ==" } }

  it.each([
    { why: "may change data", oldFields: { data: { a: "1" } }, newFields: { data: { a: "2" } }, errors: [] },
    {
      why: "may change data while immutable is false",
      oldFields: { ...immutableFields, immutable: false },
      newFields: { immutable: false, data: { c: "3" } },
      errors: []
    },
    {
      why: "may change data and set immutable",
      oldFields: { data: { a: "1" } },
      newFields: { data: { a: "2" }, immutable: true },
      errors: []
    },
    {
      why: "may repeat the data of an immutable one",
      oldFields: immutableFields,
      newFields: { ...immutableFields },
      errors: []
    },
    {
      why: "may not change data of an immutable one",
      oldFields: immutableFields,
      newFields: { ...immutableFields, data: { a: "2" } },
      errors: [immutableError("data")]
    },
    {
      why: "may not change binaryData of an immutable one",
      oldFields: immutableFields,
      newFields: { ...immutableFields, binaryData: { b: "Mg==" } },
      errors: [immutableError("binaryData")]
    },
    {
      why: "may not reset immutable",
      oldFields: immutableFields,
      newFields: { ...immutableFields, immutable: false },
      errors: [immutableError("immutable")]
    },
    {
      why: "may not empty an immutable one",
      oldFields: immutableFields,
      newFields: {},
      errors: ["immutable", "data", "binaryData"].map(immutableError)
    },
    {
      why: "is validated like a new one",
      oldFields: {},
      newFields: { data: { ".": "1" } },
      errors: [`data[.]: Invalid value: ".": must not be '.'`]
    }
  ])("$why", ({ oldFields, newFields, errors }) => {
    expect(errorTexts(validateUpdate(configMaps, aConfigMap(newFields), aConfigMap(oldFields)))).toEqual(
      errors
    )
  })
})

describe("an update of a Secret (TestValidateSecretUpdate)", () => {
  const immutableFields = { immutable: true, data: { a: "MQ==" } }

  it.each([
    {
      why: "may change data",
      oldFields: { data: { a: "MQ==" } },
      newFields: { data: { a: "Mg==" } },
      errors: []
    },
    {
      why: "may not change the type",
      oldFields: { type: "example.com/one" },
      newFields: { type: "example.com/two" },
      errors: ['type: Invalid value: "example.com/two": field is immutable']
    },
    {
      why: "may repeat the data of an immutable one",
      oldFields: immutableFields,
      newFields: { ...immutableFields },
      errors: []
    },
    {
      why: "may not change data of an immutable one",
      oldFields: immutableFields,
      newFields: { ...immutableFields, data: { b: "MQ==" } },
      errors: [immutableError("data")]
    },
    {
      why: "may not remove immutable",
      oldFields: immutableFields,
      newFields: { data: immutableFields.data },
      errors: [immutableError("immutable")]
    },
    {
      why: "requires the keys of its type",
      oldFields: { type: "kubernetes.io/dockercfg", data: { ".dockercfg": "e30=" } },
      newFields: { type: "kubernetes.io/dockercfg", data: {} },
      errors: ["data[.dockercfg]: Required value"]
    }
  ])("$why", ({ oldFields, newFields, errors }) => {
    expect(errorTexts(validateUpdate(secrets, aSecret(newFields), aSecret(oldFields)))).toEqual(errors)
  })
})
