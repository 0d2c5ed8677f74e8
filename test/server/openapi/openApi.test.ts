import { gunzipSync } from "node:zlib"
import { Reader } from "protobufjs"
import { describe, expect, it } from "vitest"
import { schemaNameOf } from "../../../src/server/openapi/schemaNames.ts"
import { publishedOpenApi } from "../../../src/server/openapi/publishedOpenApi.ts"
import { openApiKinds } from "../../../src/kubernetes/meta/kinds.ts"
import { customKind } from "../discovery/customKinds.ts"
import type { CustomResourceSchema } from "../../../src/server/openapi/customOpenApi.ts"

interface Schema {
  readonly description?: string
  readonly type?: string
  readonly format?: string
  readonly $ref?: string
  readonly allOf?: ReadonlyArray<Schema>
  readonly items?: Schema
  readonly additionalProperties?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
  readonly enum?: ReadonlyArray<string>
}

interface Operation {
  readonly operationId: string
  readonly parameters: ReadonlyArray<{ readonly name?: string; readonly in?: string }>
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> }
  readonly consumes?: ReadonlyArray<string>
  readonly "x-kubernetes-group-version-kind": object
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

interface Document {
  readonly paths: Paths
  readonly components: { readonly schemas: Readonly<Record<string, Schema>>; readonly parameters: object }
}

const custom: ReadonlyArray<CustomResourceSchema> = [
  {
    kind: customKind,
    schema: {
      description: "Runs things again and again.",
      properties: { spec: { type: "object", properties: { cronSpec: { type: "string" } } } }
    }
  }
]

const json = "application/json"
const loadText = async (path: string): Promise<string> => {
  const found = await publishedOpenApi(path, { accept: json, customResources: custom })
  if (found === undefined) throw new Error(`nothing at ${path}`)
  return String(found.body)
}
const index: { readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>> } =
  JSON.parse(await loadText("/openapi/v3"))
const keys = Object.keys(index.paths)
const documentPaths = ["/openapi/v2", ...keys.map((key) => `/openapi/v3/${key}`)]
const texts = new Map(
  await Promise.all(documentPaths.map(async (path) => [path, await loadText(path)] as const))
)
const textAt = (path: string): string => texts.get(path) ?? ""
const documentAt = (key: string): Document => JSON.parse(textAt(`/openapi/v3/${key}`))
const swagger: { readonly paths: Paths; readonly definitions: Readonly<Record<string, Schema>> } = JSON.parse(
  textAt("/openapi/v2")
)
const apps = documentAt("apis/apps/v1").components.schemas
const core = documentAt("api/v1").components.schemas

const methods = ["get", "put", "post", "patch", "delete"]
const operationsIn = (
  paths: Paths
): ReadonlyArray<{ readonly method: string; readonly operation: Operation }> =>
  Object.values(paths).flatMap((item) =>
    Object.entries(item)
      .filter(([method]) => methods.includes(method))
      .map(([method, operation]) => ({ method, operation }))
  )

const refsIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, ref = ""]) => ref)

describe("every OpenAPI document", () => {
  it("is listed with the hash of its content", async () => {
    for (const [key, { serverRelativeURL }] of Object.entries(index.paths)) {
      const found = await publishedOpenApi(`/openapi/v3/${key}`, { accept: json, customResources: custom })
      expect(`"${serverRelativeURL.replace(`/openapi/v3/${key}?hash=`, "")}"`).toBe(found?.etag)
    }
  })

  it("exists for each served group and version", () => {
    const served = openApiKinds.map(({ group, version }) =>
      group === "" ? `api/${version}` : `apis/${group}/${version}`
    )
    expect(new Set(keys)).toEqual(new Set([...served, "apis/stable.example.com/v1"]))
  })

  it("has only references that it resolves", () => {
    for (const key of keys) {
      const text = textAt(`/openapi/v3/${key}`)
      const { components } = documentAt(key)
      const has = (ref: string): boolean => {
        const [, part = "", name = ""] = ref.split("/")
        return name in (part === "schemas" ? components.schemas : components.parameters)
      }
      expect(refsIn(text).filter((ref) => !has(ref))).toEqual([])
    }
    const missing = refsIn(textAt("/openapi/v2")).filter((ref) => {
      const [part, name = ""] = ref.split("/")
      return part === "definitions" && !(name in swagger.definitions)
    })
    expect(missing).toEqual([])
  })

  it("is the same when compressed", async () => {
    for (const key of keys) {
      const found = await publishedOpenApi(`/openapi/v3/${key}`, { accept: json })
      if (found?.gzipped === undefined) continue
      expect(gunzipSync(found.gzipped).equals(Buffer.from(found.body))).toBe(true)
    }
  })

  it("has unique operation ids", () => {
    const ids = keys.flatMap((key) =>
      operationsIn(documentAt(key).paths).map(({ operation }) => operation.operationId)
    )
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
    expect(ids).toEqual(
      expect.arrayContaining([
        "createCoreV1Namespace",
        "deleteAppsV1CollectionNamespacedDeployment",
        "listAppsV1DeploymentForAllNamespaces",
        "patchAppsV1NamespacedDeploymentScale",
        "readCoreV1NamespacedPodLog"
      ])
    )
  })
})

describe("kubectl finds", () => {
  const patchesOf = (paths: Paths, kind: object): ReadonlyArray<Operation> =>
    operationsIn(paths)
      .filter(({ method }) => method === "patch")
      .map(({ operation }) => operation)
      .filter((it) => JSON.stringify(it["x-kubernetes-group-version-kind"]) === JSON.stringify(kind))
  const inQuery = ({ parameters }: Operation): ReadonlyArray<string | undefined> =>
    parameters.filter((it) => it.in === "query").map(({ name }) => name)
  const changed = openApiKinds.filter(({ verbs }) => verbs.includes("patch"))

  it("dryRun and fieldValidation among the parameters of each patch in v3", () => {
    for (const { group, version, kind } of [...changed, customKind]) {
      const key = group === "" ? `api/${version}` : `apis/${group}/${version}`
      const [patch] = patchesOf(documentAt(key).paths, { group, version, kind })
      expect(patch && inQuery(patch)).toEqual(
        expect.arrayContaining(["dryRun", "fieldManager", "fieldValidation", "force"])
      )
    }
  })

  it("the same parameters in v2, without references", () => {
    for (const { group, version, kind } of changed) {
      const [patch] = patchesOf(swagger.paths, { group, version, kind })
      expect(patch && inQuery(patch)).toEqual(expect.arrayContaining(["dryRun", "fieldValidation"]))
      expect(patch?.consumes).toContain("application/strategic-merge-patch+json")
    }
  })

  it("strategic merge patch for built-in kinds only", () => {
    const typesOf = (key: string, kind: object): ReadonlyArray<string> =>
      Object.keys(patchesOf(documentAt(key).paths, kind)[0]?.requestBody?.content ?? {})
    const others = ["apply-patch+yaml", "json-patch+json", "merge-patch+json"].map(
      (it) => `application/${it}`
    )
    expect(typesOf("apis/apps/v1", { group: "apps", version: "v1", kind: "Deployment" })).toEqual([
      ...others,
      "application/strategic-merge-patch+json"
    ])
    const { group, version, kind } = customKind
    expect(typesOf("apis/stable.example.com/v1", { group, version, kind })).toEqual(others)
  })
})

describe("a schema", () => {
  it.each([
    { of: apps, type: "io.k8s.api.apps.v1.DeploymentSpec", field: "strategy", strategy: "retainKeys" },
    {
      of: apps,
      type: "io.k8s.api.apps.v1.DeploymentStatus",
      field: "conditions",
      key: "type",
      keys: ["type"]
    },
    { of: core, type: "io.k8s.api.core.v1.PodSpec", field: "containers", key: "name", keys: ["name"] },
    {
      of: core,
      type: "io.k8s.api.core.v1.PodSpec",
      field: "volumes",
      key: "name",
      keys: ["name"],
      strategy: "merge,retainKeys"
    },
    {
      of: core,
      type: "io.k8s.api.core.v1.Container",
      field: "ports",
      key: "containerPort",
      keys: ["containerPort", "protocol"]
    },
    { of: core, type: "io.k8s.api.core.v1.PodSpec", field: "tolerations", strategy: "none", list: "atomic" },
    {
      of: core,
      type: "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
      field: "finalizers",
      list: "set"
    }
  ])("of $type has merge key and list type of $field", ({ of, type, field, key, keys, strategy, list }) => {
    const listType = list ?? (keys === undefined ? undefined : "map")
    expect(of[type]?.properties?.[field]).toMatchObject({
      ...(key === undefined ? {} : { "x-kubernetes-patch-merge-key": key }),
      ...(strategy === "none" ? {} : { "x-kubernetes-patch-strategy": strategy ?? "merge" }),
      ...(keys === undefined ? {} : { "x-kubernetes-list-map-keys": keys }),
      ...(listType === undefined ? {} : { "x-kubernetes-list-type": listType })
    })
    if (strategy === "none") {
      expect(of[type]?.properties?.[field]).not.toHaveProperty("x-kubernetes-patch-strategy")
    }
  })

  it("lists required fields", () => {
    expect(apps["io.k8s.api.apps.v1.DeploymentSpec"]?.required).toEqual(["selector", "template"])
    expect(core["io.k8s.api.core.v1.Container"]?.required).toEqual(["name"])
    expect(apps["io.k8s.api.apps.v1.Deployment"]?.required).toBeUndefined()
  })

  it.each([
    { type: "Container", field: "imagePullPolicy", schema: { enum: ["Always", "IfNotPresent", "Never"] } },
    { type: "PodSpec", field: "terminationGracePeriodSeconds", schema: { type: "integer", format: "int64" } },
    { type: "ContainerPort", field: "containerPort", schema: { type: "integer", format: "int32" } },
    {
      type: "Secret",
      field: "data",
      schema: { type: "object", additionalProperties: { type: "string", format: "byte" } }
    },
    {
      type: "ResourceRequirements",
      field: "limits",
      schema: {
        additionalProperties: { $ref: "#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity" }
      }
    },
    {
      type: "HTTPGetAction",
      field: "port",
      schema: { allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.util.intstr.IntOrString" }] }
    },
    {
      type: "PodStatus",
      field: "startTime",
      schema: { allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Time" }] }
    },
    {
      type: "Event",
      field: "eventTime",
      schema: { allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime" }] }
    }
  ])("of $type has the type of $field", ({ type, field, schema }) => {
    expect(core[`io.k8s.api.core.v1.${type}`]?.properties?.[field]).toMatchObject(schema)
  })

  it("of each kind has its group, version and kind, and a description of each field", () => {
    for (const kind of openApiKinds) {
      const key = kind.group === "" ? `api/${kind.version}` : `apis/${kind.group}/${kind.version}`
      const schema = documentAt(key).components.schemas[schemaNameOf(kind)]
      const { group, version, kind: name } = kind
      expect(schema).toMatchObject({
        description: expect.stringMatching(/\w{3}/),
        "x-kubernetes-group-version-kind": [{ group, version, kind: name }]
      })
      const silent = Object.entries(schema?.properties ?? {}).filter(([, it]) => it.description === undefined)
      // Upstream describes every field but this one.
      const known = name === "CertificateSigningRequest" ? ["metadata"] : []
      expect(silent.map(([field]) => field)).toEqual(known)
    }
  })

  it("describes a field whose type is a struct by the field's own description", () => {
    const { strategy, selector } = apps["io.k8s.api.apps.v1.DeploymentSpec"]?.properties ?? {}
    expect(strategy?.description).toMatch(/replace existing pods/)
    expect(selector?.description).toMatch(/this deployment/)
  })
})

describe("a custom kind", () => {
  const { paths, components } = documentAt("apis/stable.example.com/v1")

  it("has the schema of its CRD, with ObjectMeta", () => {
    expect(components.schemas["com.example.stable.v1.CronTab"]).toMatchObject({
      description: "Runs things again and again.",
      properties: {
        metadata: {
          allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }]
        },
        spec: { properties: { cronSpec: { type: "string" } } }
      }
    })
    expect(Object.keys(paths)).toEqual([
      "/apis/stable.example.com/v1/namespaces/{namespace}/crontabs",
      "/apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}",
      "/apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}/status",
      "/apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}/scale",
      "/apis/stable.example.com/v1/crontabs"
    ])
  })

  it("without a schema preserves unknown fields", async () => {
    const customResources = [{ kind: customKind, schema: undefined }]
    const found = await publishedOpenApi("/openapi/v3/apis/stable.example.com/v1", {
      accept: json,
      customResources
    })
    const document: Document = JSON.parse(String(found?.body))
    expect(document.components.schemas["com.example.stable.v1.CronTab"]).toMatchObject({
      "x-kubernetes-preserve-unknown-fields": true
    })
  })

  it("has no document without its CRD", async () => {
    expect(await publishedOpenApi("/openapi/v3/apis/stable.example.com/v1", { accept: json })).toBeUndefined()
  })
})

describe("the format of an OpenAPI document", () => {
  const binary = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
  it.each([
    {
      path: "/openapi/v2",
      accept: "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
      type: binary
    },
    { path: "/openapi/v2", accept: `${binary},${json};q=0.5`, type: binary },
    { path: "/openapi/v2", accept: "*/*", type: json },
    { path: "/openapi/v3", accept: "application/json, */*", type: json },
    { path: "/openapi/v3/apis/apps/v1", accept: json, type: json }
  ])("is $type at $path for $accept", async ({ path, accept, type }) => {
    expect(await publishedOpenApi(path, { accept })).toMatchObject({ contentType: type })
  })

  it.each(["/openapi/v2", "/openapi/v3", "/openapi/v3/api/v1"])(
    "is refused with 406 for text at %s",
    async (path) => {
      await expect(publishedOpenApi(path, { accept: "text/html" })).rejects.toThrow(
        "only the following media types are accepted"
      )
    }
  )

  it.each(["/openapi", "/openapi/v4", "/openapi/v2/apis", "/openapi/v3/apis/apps/v7", "/version"])(
    "does not exist at %s",
    async (path) => {
      expect(await publishedOpenApi(path, { accept: json })).toBeUndefined()
    }
  )

  const field = (message: Uint8Array, number: number): ReadonlyArray<Uint8Array> => {
    const reader = Reader.create(message)
    const found: Array<Uint8Array> = []
    while (reader.pos < reader.len) {
      const tag = reader.uint32()
      if (tag >>> 3 === number) found.push(reader.bytes())
      else reader.skipType(tag & 7)
    }
    return found
  }
  const only = (message: Uint8Array, number: number): Uint8Array =>
    field(message, number)[0] ?? new Uint8Array()
  const words = (message: Uint8Array, number: number): string => Buffer.from(only(message, number)).toString()
  const named = (message: Uint8Array, number: number) =>
    new Map(field(message, number).map((pair) => [words(pair, 1), only(pair, 2)]))

  it("has the same content in protobuf as in JSON", async () => {
    const found = await publishedOpenApi("/openapi/v2", { accept: binary })
    const message = Buffer.from(found?.body ?? "")
    const definitions = named(only(message, 9), 1)
    expect([...definitions.keys()]).toEqual(Object.keys(swagger.definitions))
    expect([...named(only(message, 8), 2).keys()]).toEqual(Object.keys(swagger.paths))
    for (const [name, definition] of definitions) {
      const { description = "", properties = {}, required = [] } = swagger.definitions[name] ?? {}
      expect(words(definition, 4)).toBe(description)
      const mustBe = field(definition, 19).map((it) => Buffer.from(it).toString())
      expect(mustBe).toEqual(required)
      const own = named(only(definition, 25), 1)
      expect([...own.keys()]).toEqual(Object.keys(properties))
      expect([...own.values()].map((it) => words(it, 1))).toEqual(
        Object.values(properties).map(({ $ref = "" }) => $ref)
      )
    }
  })
})
