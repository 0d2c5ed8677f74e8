import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { namespaceManifest } from "../builders.ts"
import { applyDocuments, applyManifest } from "../../src/manifests/applyManifests.ts"
import { ManifestsRefused } from "../../src/manifests/manifestsRefused.ts"
import { readManifests } from "../../src/manifests/readManifests.ts"
import { makeMemoryStore } from "../../src/store/memoryStore.ts"
import { valueAt, edited } from "../kubernetes/admission/drafts.ts"
import type { AppliedDocument } from "../../src/manifests/manifestDocument.ts"
import type { GroupResource } from "../../src/kubernetes/meta/kinds.ts"
import type { Draft, KubeObject } from "../../src/kubernetes/meta/objects.ts"

/** A store with the namespace `default`, and what a user would do with it. */
const setUpStore = () => {
  const { store, view } = makeMemoryStore({ nowMillis: () => 0, seed: 1 })
  const run = Effect.runSync
  run(store.create(namespaceManifest("default")))
  const read = (text: string, name = "web.yaml") => {
    const { documents, problems } = readManifests([{ name, text }], { strict: true })
    expect(problems).toEqual([])
    return documents
  }
  const applyOrRefuse = (text: string): ReadonlyArray<AppliedDocument> | ManifestsRefused =>
    run(Effect.match(applyDocuments(store, read(text)), { onSuccess: (it) => it, onFailure: (it) => it }))
  return {
    store,
    view,
    run,
    /** `created deployments/web`, one for each document. */
    apply: (text: string): ReadonlyArray<string> => {
      const applied = applyOrRefuse(text)
      if (applied instanceof ManifestsRefused) throw applied
      return applied.map(({ outcome, object }) => `${outcome} ${object.kind}/${object.metadata.name}`)
    },
    refusal: (text: string): string => {
      const error = applyOrRefuse(text)
      return error instanceof ManifestsRefused ? error.message : "applied"
    },
    get: (resource: GroupResource, key: string): KubeObject => {
      const object = view.get<GroupResource>(resource, key)
      if (object === undefined) throw new Error(`no ${resource} ${key}`)
      return object
    },
    change: (resource: GroupResource, key: string, change: (object: KubeObject) => Draft) =>
      run(store.modify({ resource, key }, change)),
    version: (): string => run(store.list("pods")).resourceVersion
  }
}

const web = (spec: string, metadata = ""): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
${metadata}spec:
  selector:
    matchLabels: {app: web}
${spec}  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: app
        image: registry.example/app:v3
        resources:
          limits: {cpu: 0.5}
`
const configMap = (name: string, rest = ""): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}${rest}}\n`
const namespace = (name: string): string => `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`
const together = (...documents: ReadonlyArray<string>): string => documents.join("---\n")

const deployments = "deployments.apps"
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

describe("a manifest that is applied again", () => {
  it("in an older version is compared with the object in its stored version", () => {
    const setup = setUpStore()
    const sizes = (cpu: number): string => `apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  maxReplicas: 9
  targetCPUUtilizationPercentage: ${cpu}
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
`
    const target = { type: "Utilization", averageUtilization: 61 }
    const stored = {
      apiVersion: "autoscaling/v2",
      spec: {
        minReplicas: 1,
        maxReplicas: 9,
        metrics: [{ type: "Resource", resource: { name: "cpu", target } }]
      }
    }
    const autoscalers = "horizontalpodautoscalers.autoscaling"
    expect(setup.apply(sizes(53))).toEqual(["created HorizontalPodAutoscaler/web"])
    expect(setup.apply(sizes(53))).toEqual(["unchanged HorizontalPodAutoscaler/web"])
    expect(setup.apply(sizes(61))).toEqual(["configured HorizontalPodAutoscaler/web"])
    expect(setup.get(autoscalers, "default/web")).toMatchObject(stored)
  })

  it("changes nothing, not even the resource version, despite defaults", () => {
    const setup = setUpStore()
    const text = together(web("  replicas: 3\n  strategy: {type: RollingUpdate}\n"), configMap("a"))
    expect(setup.apply(text)).toEqual(["created Deployment/web", "created ConfigMap/a"])
    const before = setup.version()
    expect(setup.apply(text)).toEqual(["unchanged Deployment/web", "unchanged ConfigMap/a"])
    expect(setup.version()).toBe(before)
  })

  it.each([
    {
      why: "keeps replicas set by a scale when no manifest had any",
      first: "",
      meanwhile: 7,
      second: "  minReadySeconds: 3\n",
      replicas: 7
    },
    {
      why: "sets replicas back when the manifest has them",
      first: "  replicas: 3\n",
      meanwhile: 7,
      second: "  replicas: 3\n",
      replicas: 3
    },
    {
      why: "sets replicas to the default when the manifest dropped them",
      first: "  replicas: 3\n",
      meanwhile: 7,
      second: "",
      replicas: 1
    },
    {
      why: "sets replicas to the default when the manifest has null",
      first: "",
      meanwhile: 7,
      second: "  replicas: null\n",
      replicas: 1
    }
  ])("$why", ({ first, meanwhile, second, replicas }) => {
    const setup = setUpStore()
    setup.apply(web(first))
    setup.change(deployments, "default/web", (object) => edited(object, ["spec.replicas", meanwhile]))
    expect(setup.apply(web(second))).toEqual(["configured Deployment/web"])
    expect(valueAt(setup.get(deployments, "default/web"), "spec.replicas")).toBe(replicas)
  })

  it("changes RollingUpdate to Recreate and back", () => {
    const setup = setUpStore()
    setup.apply(web("  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 3}}\n"))
    setup.apply(web("  strategy: {type: Recreate}\n"))
    expect(valueAt(setup.get(deployments, "default/web"), "spec.strategy")).toEqual({ type: "Recreate" })
    setup.apply(web("  strategy: {type: RollingUpdate}\n"))
    expect(valueAt(setup.get(deployments, "default/web"), "spec.strategy")).toEqual({
      type: "RollingUpdate",
      rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" }
    })
  })

  it("takes over an object of another client and keeps its fields", () => {
    const setup = setUpStore()
    const existing = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "default" } }
    setup.run(setup.store.create(edited(existing, ["data", { theirs: "1" }])))
    expect(setup.apply(`${configMap("a")}data: {ours: "2"}\n`)).toEqual(["configured ConfigMap/a"])
    expect(setup.apply(`${configMap("a")}data: {}\n`)).toEqual(["configured ConfigMap/a"])
    expect(valueAt(setup.get("configmaps", "default/a"), "data")).toEqual({ theirs: "1" })
  })

  it("keeps status and annotations of controllers", () => {
    const setup = setUpStore()
    setup.apply(web("  replicas: 3\n"))
    const reported = edited(
      setup.get(deployments, "default/web"),
      ["status", { replicas: 3, observedGeneration: 1 }],
      ["metadata.annotations", { "deployment.kubernetes.io/revision": "1" }]
    )
    setup.run(
      setup.store.modify(
        { resource: deployments, key: "default/web" },
        (object) => ({
          ...reported,
          metadata: {
            ...reported.metadata,
            annotations: { ...object.metadata.annotations, ...reported.metadata.annotations }
          }
        }),
        { status: true }
      )
    )
    expect(setup.apply(web("  replicas: 5\n"))).toEqual(["configured Deployment/web"])
    const { metadata } = setup.get(deployments, "default/web")
    expect(valueAt(setup.get(deployments, "default/web"), "status.replicas")).toBe(3)
    expect(metadata.annotations?.["deployment.kubernetes.io/revision"]).toBe("1")
    expect(metadata.generation).toBe(2)
  })
})

describe("the last-applied annotation", () => {
  const lastAppliedOf = (text: string): string | undefined => {
    const setup = setUpStore()
    setup.apply(text)
    return setup.get("configmaps", "default/a").metadata.annotations?.[lastApplied]
  }
  it.each([
    {
      why: "has sorted keys, the namespace, and annotations even when there are none",
      text: "metadata: {name: a}\nkind: ConfigMap\ndata: {b: x, a: w}\napiVersion: v1\n",
      annotation:
        '{"apiVersion":"v1","data":{"a":"w","b":"x"},"kind":"ConfigMap","metadata":{"annotations":{},"name":"a","namespace":"default"}}\n'
    },
    {
      why: "keeps nulls and escapes HTML characters",
      text: `${configMap("a", ", creationTimestamp: null, annotations: {team: a}")}data: {k: "<&>"}\n`,
      annotation:
        '{"apiVersion":"v1","data":{"k":"\\u003c\\u0026\\u003e"},"kind":"ConfigMap","metadata":{"annotations":{"team":"a"},"creationTimestamp":null,"name":"a","namespace":"default"}}\n'
    },
    {
      why: "does not contain itself",
      text: configMap("a", `, annotations: {${lastApplied}: "{}"}`),
      annotation:
        '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"annotations":{},"name":"a","namespace":"default"}}\n'
    }
  ])("$why", ({ text, annotation }) => {
    expect(lastAppliedOf(text)).toBe(annotation)
  })
})

describe("a rejected manifest is reported in kubectl's words at its line, and nothing is applied", () => {
  it.each([
    {
      why: "one field",
      text: together(configMap("a"), web("  replicas: -1\n")),
      message:
        'web.yaml:12:3: The Deployment "web" is invalid: ' +
        "spec.replicas: Invalid value: -1: must be greater than or equal to 0"
    },
    {
      why: "several fields of several documents, in file order",
      text: together(
        web("  replicas: -1\n  minReadySeconds: -3\n"),
        configMap("b"),
        configMap("c", ", namespace: gone"),
        namespace("Shop")
      ),
      message: [
        'web.yaml:8:3: The Deployment "web" is invalid: ',
        "* spec.replicas: Invalid value: -1: must be greater than or equal to 0",
        "* spec.minReadySeconds: Invalid value: -3: must be greater than or equal to 0",
        'web.yaml:24:1: Error from server (NotFound): namespaces "gone" not found',
        'web.yaml:30:12: The Namespace "Shop" is invalid: metadata.name: Invalid value: "Shop": ' +
          "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end " +
          "with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
      ].join("\n")
    },
    {
      why: "a missing field, at its parent",
      text: web("").replace("        image: registry.example/app:v3\n", ""),
      message:
        'web.yaml:13:9: The Deployment "web" is invalid: ' +
        "spec.template.spec.containers[0].image: Required value"
    },
    {
      why: "an error inside a Namespace that is still to be created",
      text: together(namespace("shop"), configMap("a", ", namespace: shop, labels: {-: x}")),
      message: /^web.yaml:7:38: The ConfigMap "a" is invalid: metadata.labels: Invalid value: "-"/
    },
    {
      why: "no name",
      text: configMap('""'),
      message: "web.yaml:1:1: error: resource name may not be empty"
    },
    {
      why: "a generated name",
      text: "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: a-}\n",
      message: "web.yaml:1:1: error: from a-: cannot use generate name with apply"
    }
  ])("$why", ({ text, message }) => {
    const setup = setUpStore()
    const before = setup.version()
    expect(setup.refusal(text)).toMatch(message)
    expect(setup.version()).toBe(before)
  })

  it("a forbidden change", () => {
    const setup = setUpStore()
    setup.apply(web(""))
    const before = setup.version()
    const other = web("").replaceAll("{app: web}", "{app: shop}")
    expect(setup.refusal(together(configMap("a"), other))).toBe(
      'web.yaml:10:3: The Deployment "web" is invalid: spec.selector: Invalid value: ' +
        '{"matchLabels":{"app":"shop"}}: field is immutable'
    )
    expect(setup.version()).toBe(before)
  })

  it("an outdated resource version", () => {
    const setup = setUpStore()
    setup.apply(web(""))
    expect(setup.refusal(web("  replicas: 5\n", '  resourceVersion: "1"\n'))).toBe(
      'web.yaml:1:1: Error from server (Conflict): Operation cannot be fulfilled on deployments.apps "web": ' +
        "the object has been modified; please apply your changes to the latest version and try again"
    )
  })

  it("an invalid last-applied annotation", () => {
    const setup = setUpStore()
    setup.apply(configMap("a"))
    setup.change("configmaps", "default/a", (object) =>
      edited(object, ["metadata.annotations", { [lastApplied]: "{" }])
    )
    expect(setup.refusal(configMap("a"))).toBe("web.yaml:1:1: error: invalid JSON document")
  })

  it("a Namespace that is being deleted", () => {
    const setup = setUpStore()
    setup.apply(together(namespace("shop"), configMap("a", ", namespace: shop")))
    setup.run(setup.store.delete({ resource: "namespaces", key: "shop" }))
    expect(setup.refusal(configMap("b", ", namespace: shop"))).toBe(
      'web.yaml:1:1: Error from server (Forbidden): configmaps "b" is forbidden: ' +
        "unable to create new content in namespace shop because it is being terminated"
    )
  })
})

describe("the order in which documents are applied", () => {
  it("has Namespaces first, then the order of the file", () => {
    const text = together(
      configMap("b", ", namespace: shop"),
      configMap("a", ", namespace: shop"),
      namespace("shop")
    )
    expect(setUpStore().apply(text)).toEqual([
      "created Namespace/shop",
      "created ConfigMap/b",
      "created ConfigMap/a"
    ])
  })

  it("leaves no trace of its dry run in later names and uids", () => {
    const [tried, untried] = [setUpStore(), setUpStore()]
    tried.refusal(together(configMap("a"), web("  replicas: -1\n")))
    for (const setup of [tried, untried]) setup.apply(configMap("a"))
    expect(tried.get("configmaps", "default/a")).toEqual(untried.get("configmaps", "default/a"))
  })
})

describe("apply from code", () => {
  const draft = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }
  const applied = (manifest: Parameters<typeof applyManifest>[1]): ReadonlyArray<string> | string => {
    const setup = setUpStore()
    return setup.run(
      Effect.match(applyManifest(setup.store, manifest), {
        onSuccess: (all) => all.map(({ outcome, object }) => `${outcome} ${object.metadata.name}`),
        onFailure: ({ message }) => message
      })
    )
  }

  it.each([
    {
      why: "accepts a text",
      manifest: together(configMap("a"), configMap("b")),
      expected: ["created a", "created b"]
    },
    { why: "accepts an object", manifest: draft, expected: ["created a"] },
    {
      why: "accepts objects, with undefined for missing fields",
      manifest: [draft, edited(draft, ["metadata.name", "b"], ["data", { k: undefined }])],
      expected: ["created a", "created b"]
    },
    {
      why: "rejects an unknown field",
      manifest: [draft, edited(draft, ["metadata.name", "b"], ["datum", {}])],
      expected:
        'manifest (document 2): ConfigMap in version "v1" cannot be handled as a ConfigMap: ' +
        'strict decoding error: unknown field "datum"'
    },
    {
      why: "rejects an object twice",
      manifest: [draft, draft],
      expected: 'manifest (document 2): configmaps "a" is given twice: first at document 1'
    },
    {
      why: "rejects a Behaviour",
      manifest: "apiVersion: charthouse.dev/v1\nkind: Behaviour\n",
      expected:
        "manifest:1:1: a Behaviour is given to a cluster when it is made, and cannot be applied to one"
    },
    { why: "rejects an empty text", manifest: "", expected: "manifest: there is no object in this file" }
  ])("$why", ({ manifest, expected }) => {
    expect(applied(manifest)).toEqual(expected)
  })

  it("does not freeze the objects of the caller", () => {
    const own = { ...draft, data: { k: "v" } }
    applied(own)
    own.data.k = "w"
    expect(own.data.k).toBe("w")
  })
})
