import { describe } from "vitest"
import { aDraft, refusesChange, refusesNew } from "../kindErrors.ts"
import { edited } from "../../drafts.ts"

const cpu = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } }
}
const aScaler = aDraft("HorizontalPodAutoscaler", "web", {
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    minReplicas: 1,
    maxReplicas: 3,
    metrics: [cpu]
  }
})
const metric = (value: object) => [["spec.metrics", [value]]] as const
const path = "spec.metrics[0]"
const ofObject = (apiVersion: string) =>
  metric({
    type: "Object",
    object: {
      describedObject: { apiVersion, kind: "Service", name: "web" },
      metric: { name: "requests" },
      target: { type: "Value", value: "1" }
    }
  })
const twoSlashes =
  `${path}.object.describedObject.apiVersion: Invalid value: "a/b/c": ` +
  "unexpected GroupVersion string: a/b/c"
const rawOrUtilization = "a target raw value"

describe("the metrics of a HorizontalPodAutoscaler", () => {
  refusesNew(aScaler, [
    { why: "are valid", edits: [], errors: [] },
    {
      why: "have types that exist",
      edits: metric({ type: "Mood" }),
      errors: [
        `${path}.type: Unsupported value: "Mood": supported values: "ContainerResource", "External", "Object", ` +
          '"Pods", "Resource"'
      ]
    },
    {
      why: "have a source of their type",
      edits: metric({ type: "Pods" }),
      errors: [`${path}.pods: Required value: must populate information for the given metric source`]
    },
    {
      why: "have a source of their type only",
      edits: metric({ ...cpu, pods: {} }),
      errors: [
        `${path}.pods.metric.name: Required value: must specify a metric name`,
        `${path}.pods.target.type: Required value: must specify a metric target type`,
        `${path}.pods.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue`,
        `${path}.pods.target.averageValue: Required value: must specify a positive target averageValue`,
        `${path}.pods: Forbidden: must populate the given metric source only`
      ]
    },
    {
      why: "name a resource and one aim",
      edits: metric({ type: "Resource", resource: { target: { type: "Utilization" } } }),
      errors: [
        `${path}.resource.name: Required value: must specify a resource name`,
        `${path}.resource.target.averageUtilization: Required value: must set either ${rawOrUtilization} or a target ` +
          "utilization"
      ]
    },
    {
      why: "aim at one positive amount",
      edits: metric({
        type: "Resource",
        resource: { name: "cpu", target: { type: "Most", averageUtilization: 0, averageValue: "0" } }
      }),
      errors: [
        `${path}.resource.target.type: Invalid value: "Most": must be either Utilization, Value, or AverageValue`,
        `${path}.resource.target.averageValue: Invalid value: "0": must be positive`,
        `${path}.resource.target.averageUtilization: Invalid value: 0: must be greater than 0`,
        `${path}.resource.target.averageValue: Forbidden: may not set both ${rawOrUtilization} and a target utilization`
      ]
    },
    {
      why: "name the container of a container's resource",
      edits: metric({ type: "ContainerResource", containerResource: { ...cpu.resource, name: "cpus" } }),
      errors: [
        `${path}.containerResource.name: Invalid value: "cpus": must be a standard resource type or fully qualified`,
        `${path}.containerResource.name: Invalid value: "cpus": must be a standard resource for containers`,
        `${path}.containerResource.container: Required value: must specify a container`
      ]
    },
    {
      why: "name the object that is measured",
      edits: metric({ type: "Object", object: { metric: { name: "a/b" }, target: { type: "Value" } } }),
      errors: [
        `${path}.object.describedObject.kind: Required value`,
        `${path}.object.describedObject.name: Required value`,
        `${path}.object.metric.name: Invalid value: "a/b": may not contain '/'`,
        `${path}.object.target.averageValue: Required value: must set either a target value or averageValue`
      ]
    },
    { why: "may be of an object whose group has no name", edits: ofObject("v1"), errors: [] },
    { why: "are of an object whose API version has a form", edits: ofObject("a/b/c"), errors: [twoSlashes] },
    {
      why: "aim at one amount of an outside metric",
      edits: metric({
        type: "External",
        external: { metric: { name: "queue" }, target: { type: "Value", value: "1", averageValue: "1" } }
      }),
      errors: [
        `${path}.external.target.value: Forbidden: may not set both a target value for metric and a per-pod target`
      ]
    },
    {
      why: "aim at some amount of an outside metric",
      edits: metric({ type: "External", external: { metric: { name: "queue" }, target: { type: "Value" } } }),
      errors: [
        `${path}.external.target.averageValue: Required value: must set either a target value for metric or a ` +
          "per-pod target"
      ]
    }
  ])
  refusesChange(aScaler, [
    { why: "keep to the form of API versions in changes", edits: ofObject("a/b/c"), errors: [twoSlashes] }
  ])
  refusesChange(edited(aScaler, ...ofObject("a/b/c")), [
    { why: "keep an API version that is stored already", edits: [["spec.maxReplicas", 5]], errors: [] }
  ])
  refusesChange(edited(aScaler, ["spec.minReplicas", 0]), [
    {
      why: "of one that could scale to zero come from outside",
      edits: [["spec.maxReplicas", 5]],
      errors: [
        "spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas"
      ]
    }
  ])
})

const policy = { type: "Pods", value: 4, periodSeconds: 60 }
const scaleUp = (more: object) =>
  [["spec.behavior", { scaleUp: { stabilizationWindowSeconds: 0, policies: [policy], ...more } }]] as const

describe("the behaviour of a HorizontalPodAutoscaler", () => {
  const rules = "spec.behavior.scaleUp"

  refusesNew(aScaler, [
    { why: "is valid", edits: scaleUp({ selectPolicy: "Max" }), errors: [] },
    {
      why: "has a policy in each direction",
      edits: scaleUp({ policies: [] }),
      errors: [`${rules}.policies: Required value: must specify at least one Policy`]
    },
    {
      why: "looks back for an hour at most",
      edits: scaleUp({ stabilizationWindowSeconds: 3601 }),
      errors: [`${rules}.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600`]
    },
    {
      why: "does not look ahead, and selects a policy in a way that exists",
      edits: scaleUp({ stabilizationWindowSeconds: -1, selectPolicy: "Best" }),
      errors: [
        `${rules}.stabilizationWindowSeconds: Invalid value: -1: must be greater than or equal to zero`,
        `${rules}.selectPolicy: Unsupported value: "Best": supported values: "Disabled", "Max", "Min"`
      ]
    },
    {
      why: "has policies that scale something in some time",
      edits: scaleUp({
        policies: [
          { type: "Nodes", value: 0, periodSeconds: 0 },
          { ...policy, periodSeconds: 1801 }
        ]
      }),
      errors: [
        `${rules}.policies[0].type: Unsupported value: "Nodes": supported values: "Percent", "Pods"`,
        `${rules}.policies[0].value: Invalid value: 0: must be greater than zero`,
        `${rules}.policies[0].periodSeconds: Invalid value: 0: must be greater than zero`,
        `${rules}.policies[1].periodSeconds: Invalid value: 1801: must be less than or equal to 1800`
      ]
    },
    {
      why: "tolerates no negative difference",
      edits: scaleUp({ tolerance: "-100m" }),
      errors: [`${rules}.tolerance: Invalid value: "-100m": must be greater than or equal to 0`]
    }
  ])
})
