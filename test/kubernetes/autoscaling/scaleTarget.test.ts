import { describe, expect, it } from "vitest"
import { aDefinition, aVersion } from "../customResources/definitionFixtures.ts"
import { aPod } from "../../builders.ts"
import { kindsOfDefinition } from "../../../src/kubernetes/customResources/definitions.ts"
import {
  scaleOfTarget,
  targetKindOf,
  withTargetReplicas
} from "../../../src/kubernetes/autoscaling/scaleTarget.ts"
import { servedKinds, type Kind } from "../../../src/kubernetes/meta/kinds.ts"

const scalePaths = { specReplicasPath: ".spec.size.pods", statusReplicasPath: ".status.size" }
const scalable = { subresources: { status: {}, scale: scalePaths } }

const customKinds = (...versions: ReadonlyArray<object>): ReadonlyArray<Kind> => {
  const all = versions.map((more, index) =>
    aVersion({ name: `v${index + 1}`, storage: index === 0, ...more })
  )
  const kinds = kindsOfDefinition(aDefinition({ versions: all }))
  if (kinds === undefined) throw new Error("not established")
  return kinds.served
}

const customKind = (version: object): Kind => {
  const [kind] = customKinds(version)
  if (kind === undefined) throw new Error("not served")
  return kind
}

const targetOf = (apiVersion: string | undefined, kind: string, served = servedKinds) => {
  const scaleTargetRef = { ...(apiVersion === undefined ? {} : { apiVersion }), kind, name: "web" }
  return targetKindOf({ scaleTargetRef }, served)
}

const missingScale = "the server could not find the requested resource"
const crontabs = "stable.example.com/v1"

/** What `reconcileAutoscaler` and `scaleForResourceMappings` make of `spec.scaleTargetRef`. */
describe("the target that an autoscaler names", () => {
  it.each([
    { why: "by group and version", apiVersion: "apps/v1", kind: "Deployment", is: "deployments.apps v1" },
    {
      why: "by its group alone",
      apiVersion: "apps/v1beta9",
      kind: "StatefulSet",
      is: "statefulsets.apps v1"
    },
    {
      why: "without a group, in the core group",
      apiVersion: "v1",
      kind: "ReplicationController",
      is: "replicationcontrollers v1"
    },
    { why: "without an API version", kind: "ReplicationController", is: "replicationcontrollers v1" }
  ])("is found $why: $kind of $apiVersion", ({ apiVersion, kind, is }) => {
    const target = targetOf(apiVersion, kind)
    expect("problem" in target ? target.problem : `${target.resource} ${target.kind.version}`).toBe(is)
  })

  it.each([
    {
      why: "its API version has two slashes",
      apiVersion: "a/b/c",
      kind: "Deployment",
      problem: "unexpected GroupVersion string: a/b/c"
    },
    {
      why: "it is in another group",
      apiVersion: "v1",
      kind: "Deployment",
      problem: 'no matches for kind "Deployment" in group ""'
    },
    {
      why: "no group is the core group",
      kind: "Deployment",
      problem: 'no matches for kind "Deployment" in group ""'
    },
    {
      why: "no kind of the group has its name",
      apiVersion: "apps/v1",
      kind: "Deploymint",
      problem: 'no matches for kind "Deploymint" in group "apps"'
    },
    { why: "it has only a status", apiVersion: "apps/v1", kind: "DaemonSet", problem: missingScale },
    { why: "it has no subresource", apiVersion: "v1", kind: "ConfigMap", problem: missingScale }
  ])("is not found where $why: $kind of $apiVersion", ({ apiVersion, kind, problem }) => {
    expect(targetOf(apiVersion, kind)).toEqual({ problem })
  })

  it.each([
    { why: "of a kind with a scale", versions: [scalable], is: "v1" },
    { why: "in the version that has one", versions: [{}, scalable], is: "v2" },
    { why: "in the first that has one", versions: [scalable, scalable], is: "v1" },
    { why: "not at all without one", versions: [{ subresources: { status: {} } }], is: missingScale }
  ])("is found among custom objects $why", ({ versions, is }) => {
    const target = targetOf(crontabs, "CronTab", customKinds(...versions))
    expect("problem" in target ? target.problem : target.kind.version).toBe(is)
  })
})

const { metadata } = aPod({ name: "web" })
const objectOf = (fields: object) => ({ apiVersion: "apps/v1", kind: "Deployment", metadata, ...fields })

const builtInKind = (name: string): Kind => {
  const kind = servedKinds.find((it) => it.kind === name)
  if (kind === undefined) throw new Error(`no kind ${name}`)
  return kind
}

/** Of a Deployment, a ReplicaSet or a StatefulSet: `ScaleREST.Get` of its registry. */
describe("the scale of a built-in workload", () => {
  it.each([
    {
      why: "tells the replicas that it should have and those that it has",
      fields: { spec: { replicas: 3, selector: { matchLabels: { app: "web" } } }, status: { replicas: 2 } },
      is: { replicas: 3, statusReplicas: 2, selector: "app=web" }
    },
    {
      why: "has 0 replicas where none are written",
      fields: { spec: { selector: { matchLabels: { app: "web" } } }, status: {} },
      is: { replicas: 0, statusReplicas: 0, selector: "app=web" }
    },
    {
      why: "has the expressions of its selector as text",
      fields: {
        spec: { selector: { matchExpressions: [{ key: "tier", operator: "In", values: ["a", "b"] }] } }
      },
      is: { replicas: 0, statusReplicas: 0, selector: "tier in (a,b)" }
    },
    {
      why: "has the plain labels of a ReplicationController's selector as text",
      fields: { spec: { replicas: 1, selector: { app: "web", tier: "a" } } },
      is: { replicas: 1, statusReplicas: 0, selector: "app=web,tier=a" }
    },
    {
      why: "has no selector where there is none",
      fields: {},
      is: { replicas: 0, statusReplicas: 0, selector: undefined }
    }
  ])("$why", ({ fields, is }) => {
    expect(scaleOfTarget(objectOf(fields), builtInKind("Deployment"))).toEqual(is)
  })
})

const withSelector = customKind({
  subresources: { scale: { ...scalePaths, labelSelectorPath: ".status.labels" } }
})

/** Source of the rules: apiextensions-apiserver, registry/customresource/etcd.go (scaleFromCustomResource). */
describe("the scale of a custom object", () => {
  it.each([
    {
      why: "is read where its paths lead",
      fields: { spec: { replicas: 9, size: { pods: 3 } }, status: { size: 2, labels: "app=web" } },
      is: { replicas: 3, statusReplicas: 2, selector: "app=web" }
    },
    {
      why: "has 0 Pods and no selector until its controller tells them",
      fields: { spec: { size: { pods: 3 } } },
      is: { replicas: 3, statusReplicas: 0, selector: undefined }
    },
    {
      why: "has neither from values of another type",
      fields: { spec: { size: { pods: 3 } }, status: { size: "2", labels: { app: "web" } } },
      is: { replicas: 3, statusReplicas: 0, selector: undefined }
    },
    {
      why: "cannot be read without replicas",
      fields: { spec: { replicas: 9 } },
      is: {
        problem: 'Internal error occurred: the spec replicas field ".spec.size.pods" does not exist'
      }
    }
  ])("$why", ({ fields, is }) => {
    expect(scaleOfTarget(objectOf(fields), withSelector)).toEqual(is)
  })

  it("has no selector without a path to it", () => {
    const fields = { spec: { size: { pods: 3 } }, status: { size: 2, labels: "app=web" } }
    expect(scaleOfTarget(objectOf(fields), customKind(scalable))).toEqual({
      replicas: 3,
      statusReplicas: 2,
      selector: undefined
    })
  })
})

describe("the target with another number of replicas", () => {
  const object = objectOf({ spec: { replicas: 1, paused: true, size: { pods: 1, most: 5 } } })
  it.each([
    {
      why: "of a built-in kind has it in spec.replicas",
      kind: builtInKind("Deployment"),
      spec: { replicas: 4, paused: true, size: { pods: 1, most: 5 } }
    },
    {
      why: "of a custom kind has it where the path leads",
      kind: withSelector,
      spec: { replicas: 1, paused: true, size: { pods: 4, most: 5 } }
    }
  ])("$why", ({ kind, spec }) => {
    expect(withTargetReplicas(object, kind, 4)).toEqual({ ...object, spec })
  })
})
