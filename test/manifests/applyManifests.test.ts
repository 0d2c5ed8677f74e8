import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { applyDocuments, applyManifest } from "../../src/manifests/applyManifests.ts"
import { ManifestsRefused } from "../../src/manifests/manifestsRefused.ts"
import { readManifests } from "../../src/manifests/readManifests.ts"
import { makeMemoryStore } from "../../src/store/memoryStore.ts"
import { at, edited } from "../domain/admission/drafts.ts"
import type { AppliedDocument } from "../../src/manifests/manifestDocument.ts"
import type { GroupResource } from "../../src/kubernetes/meta/kinds.ts"
import type { Draft, KubeObject } from "../../src/kubernetes/meta/objects.ts"

/** A store with the namespace `default`, and what a person at a terminal would do with it. */
const aWorld = () => {
  const { store, view } = makeMemoryStore({ nowMillis: () => 0, seed: 1 })
  const run = Effect.runSync
  run(store.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } }))
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
      const refused = applyOrRefuse(text)
      return refused instanceof ManifestsRefused ? refused.message : "applied"
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

describe("what becomes of a manifest that is applied again", () => {
  it("in an older version is that of the one object that is stored in the newer", () => {
    const world = aWorld()
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
    expect(world.apply(sizes(53))).toEqual(["created HorizontalPodAutoscaler/web"])
    expect(world.apply(sizes(53))).toEqual(["unchanged HorizontalPodAutoscaler/web"])
    expect(world.apply(sizes(61))).toEqual(["configured HorizontalPodAutoscaler/web"])
    expect(world.get(autoscalers, "default/web")).toMatchObject(stored)
  })

  it("the same one changes nothing, not even a version, for all that defaults have filled in", () => {
    const world = aWorld()
    const text = together(web("  replicas: 3\n  strategy: {type: RollingUpdate}\n"), configMap("a"))
    expect(world.apply(text)).toEqual(["created Deployment/web", "created ConfigMap/a"])
    const before = world.version()
    expect(world.apply(text)).toEqual(["unchanged Deployment/web", "unchanged ConfigMap/a"])
    expect(world.version()).toBe(before)
  })

  it.each([
    {
      why: "a size set by scaling survives a manifest that has never said one",
      first: "",
      meanwhile: 7,
      second: "  minReadySeconds: 3\n",
      replicas: 7
    },
    {
      why: "a manifest that says one sets it back",
      first: "  replicas: 3\n",
      meanwhile: 7,
      second: "  replicas: 3\n",
      replicas: 3
    },
    {
      why: "one that no longer says it falls back to the default",
      first: "  replicas: 3\n",
      meanwhile: 7,
      second: "",
      replicas: 1
    },
    { why: "as does one that says null", first: "", meanwhile: 7, second: "  replicas: null\n", replicas: 1 }
  ])("$why", ({ first, meanwhile, second, replicas }) => {
    const world = aWorld()
    world.apply(web(first))
    world.change(deployments, "default/web", (object) => edited(object, ["spec.replicas", meanwhile]))
    expect(world.apply(web(second))).toEqual(["configured Deployment/web"])
    expect(at(world.get(deployments, "default/web"), "spec.replicas")).toBe(replicas)
  })

  it("from RollingUpdate to Recreate and back", () => {
    const world = aWorld()
    world.apply(web("  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 3}}\n"))
    world.apply(web("  strategy: {type: Recreate}\n"))
    expect(at(world.get(deployments, "default/web"), "spec.strategy")).toEqual({ type: "Recreate" })
    world.apply(web("  strategy: {type: RollingUpdate}\n"))
    expect(at(world.get(deployments, "default/web"), "spec.strategy")).toEqual({
      type: "RollingUpdate",
      rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" }
    })
  })

  it("an object that others have made is taken over, and keeps what they said", () => {
    const world = aWorld()
    const made = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "default" } }
    world.run(world.store.create(edited(made, ["data", { theirs: "1" }])))
    expect(world.apply(`${configMap("a")}data: {ours: "2"}\n`)).toEqual(["configured ConfigMap/a"])
    expect(world.apply(`${configMap("a")}data: {}\n`)).toEqual(["configured ConfigMap/a"])
    expect(at(world.get("configmaps", "default/a"), "data")).toEqual({ theirs: "1" })
  })

  it("a status that controllers have reported, and their annotations, stay", () => {
    const world = aWorld()
    world.apply(web("  replicas: 3\n"))
    const reported = edited(
      world.get(deployments, "default/web"),
      ["status", { replicas: 3, observedGeneration: 1 }],
      ["metadata.annotations", { "deployment.kubernetes.io/revision": "1" }]
    )
    world.run(
      world.store.modify(
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
    expect(world.apply(web("  replicas: 5\n"))).toEqual(["configured Deployment/web"])
    const { metadata } = world.get(deployments, "default/web")
    expect(at(world.get(deployments, "default/web"), "status.replicas")).toBe(3)
    expect(metadata.annotations?.["deployment.kubernetes.io/revision"]).toBe("1")
    expect(metadata.generation).toBe(2)
  })
})

describe("what was applied is remembered as kubectl writes it", () => {
  const remembered = (text: string): string | undefined => {
    const world = aWorld()
    world.apply(text)
    return world.get("configmaps", "default/a").metadata.annotations?.[lastApplied]
  }
  it.each([
    {
      why: "keys in order, the namespace filled in, annotations even where there are none",
      text: "metadata: {name: a}\nkind: ConfigMap\ndata: {b: x, a: w}\napiVersion: v1\n",
      annotation:
        '{"apiVersion":"v1","data":{"a":"w","b":"x"},"kind":"ConfigMap","metadata":{"annotations":{},"name":"a","namespace":"default"}}\n'
    },
    {
      why: "nulls as they were, and letters that mean something in HTML escaped",
      text: `${configMap("a", ", creationTimestamp: null, annotations: {team: a}")}data: {k: "<&>"}\n`,
      annotation:
        '{"apiVersion":"v1","data":{"k":"\\u003c\\u0026\\u003e"},"kind":"ConfigMap","metadata":{"annotations":{"team":"a"},"creationTimestamp":null,"name":"a","namespace":"default"}}\n'
    },
    {
      why: "an exported manifest does not remember what it remembered",
      text: configMap("a", `, annotations: {${lastApplied}: "{}"}`),
      annotation:
        '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"annotations":{},"name":"a","namespace":"default"}}\n'
    }
  ])("$why", ({ text, annotation }) => {
    expect(remembered(text)).toBe(annotation)
  })
})

describe("what is refused is told in kubectl's words at the line that is wrong, and nothing is applied", () => {
  it.each([
    {
      why: "one field",
      text: together(configMap("a"), web("  replicas: -1\n")),
      message:
        'web.yaml:12:3: The Deployment "web" is invalid: ' +
        "spec.replicas: Invalid value: -1: must be greater than or equal to 0"
    },
    {
      why: "several fields of several documents, in the order of the file",
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
      why: "a field that is missing, at what it is missing from",
      text: web("").replace("        image: registry.example/app:v3\n", ""),
      message:
        'web.yaml:13:9: The Deployment "web" is invalid: ' +
        "spec.template.spec.containers[0].image: Required value"
    },
    {
      why: "what cannot be written into a Namespace that is still to be created",
      text: together(namespace("shop"), configMap("a", ", namespace: shop, labels: {-: x}")),
      message: /^web.yaml:7:38: The ConfigMap "a" is invalid: metadata.labels: Invalid value: "-"/
    },
    {
      why: "no name",
      text: configMap('""'),
      message: "web.yaml:1:1: error: resource name may not be empty"
    },
    {
      why: "a name that the server would make up",
      text: "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: a-}\n",
      message: "web.yaml:1:1: error: from a-: cannot use generate name with apply"
    }
  ])("$why", ({ text, message }) => {
    const world = aWorld()
    const before = world.version()
    expect(world.refusal(text)).toMatch(message)
    expect(world.version()).toBe(before)
  })

  it("a change that is not allowed", () => {
    const world = aWorld()
    world.apply(web(""))
    const before = world.version()
    const other = web("").replaceAll("{app: web}", "{app: shop}")
    expect(world.refusal(together(configMap("a"), other))).toBe(
      'web.yaml:10:3: The Deployment "web" is invalid: spec.selector: Invalid value: ' +
        '{"matchLabels":{"app":"shop"}}: field is immutable'
    )
    expect(world.version()).toBe(before)
  })

  it("a version that is no longer the present one", () => {
    const world = aWorld()
    world.apply(web(""))
    expect(world.refusal(web("  replicas: 5\n", '  resourceVersion: "1"\n'))).toBe(
      'web.yaml:1:1: Error from server (Conflict): Operation cannot be fulfilled on deployments.apps "web": ' +
        "the object has been modified; please apply your changes to the latest version and try again"
    )
  })

  it("a memory that nobody can read", () => {
    const world = aWorld()
    world.apply(configMap("a"))
    world.change("configmaps", "default/a", (object) =>
      edited(object, ["metadata.annotations", { [lastApplied]: "{" }])
    )
    expect(world.refusal(configMap("a"))).toBe("web.yaml:1:1: error: invalid JSON document")
  })

  it("what goes into a Namespace on its way out", () => {
    const world = aWorld()
    world.apply(together(namespace("shop"), configMap("a", ", namespace: shop")))
    world.run(world.store.delete({ resource: "namespaces", key: "shop" }))
    expect(world.refusal(configMap("b", ", namespace: shop"))).toBe(
      'web.yaml:1:1: Error from server (Forbidden): configmaps "b" is forbidden: ' +
        "unable to create new content in namespace shop because it is being terminated"
    )
  })
})

describe("the order in which documents are applied", () => {
  it("Namespaces come first, the rest as it stands in the file", () => {
    const text = together(
      configMap("b", ", namespace: shop"),
      configMap("a", ", namespace: shop"),
      namespace("shop")
    )
    expect(aWorld().apply(text)).toEqual([
      "created Namespace/shop",
      "created ConfigMap/b",
      "created ConfigMap/a"
    ])
  })

  it("trying documents leaves no trace in the names and uids of what comes after", () => {
    const [tried, untried] = [aWorld(), aWorld()]
    tried.refusal(together(configMap("a"), web("  replicas: -1\n")))
    for (const world of [tried, untried]) world.apply(configMap("a"))
    expect(tried.get("configmaps", "default/a")).toEqual(untried.get("configmaps", "default/a"))
  })
})

describe("applying from code", () => {
  const draft = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }
  const applied = (manifest: Parameters<typeof applyManifest>[1]): ReadonlyArray<string> | string => {
    const world = aWorld()
    return world.run(
      Effect.match(applyManifest(world.store, manifest), {
        onSuccess: (all) => all.map(({ outcome, object }) => `${outcome} ${object.metadata.name}`),
        onFailure: ({ message }) => message
      })
    )
  }

  it.each([
    { why: "a text", manifest: together(configMap("a"), configMap("b")), found: ["created a", "created b"] },
    { why: "an object", manifest: draft, found: ["created a"] },
    {
      why: "objects, with undefined for what is not there",
      manifest: [draft, edited(draft, ["metadata.name", "b"], ["data", { k: undefined }])],
      found: ["created a", "created b"]
    },
    {
      why: "a field that is unknown",
      manifest: [draft, edited(draft, ["metadata.name", "b"], ["datum", {}])],
      found:
        'manifest (document 2): ConfigMap in version "v1" cannot be handled as a ConfigMap: ' +
        'strict decoding error: unknown field "datum"'
    },
    {
      why: "an object twice",
      manifest: [draft, draft],
      found: 'manifest (document 2): configmaps "a" is given twice: first at document 1'
    },
    {
      why: "a Behaviour",
      manifest: "apiVersion: charthouse.dev/v1\nkind: Behaviour\n",
      found: "manifest:1:1: a Behaviour is given to a cluster when it is made, and cannot be applied to one"
    },
    { why: "nothing", manifest: "", found: "manifest: there is no object in this file" }
  ])("$why", ({ manifest, found }) => {
    expect(applied(manifest)).toEqual(found)
  })

  it("what was applied still belongs to whoever wrote it", () => {
    const own = { ...draft, data: { k: "v" } }
    applied(own)
    own.data.k = "w"
    expect(own.data.k).toBe("w")
  })
})
