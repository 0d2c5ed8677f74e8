import { describe, expect, it } from "vitest"
import { kindNamed } from "../../builders.ts"
import {
  createWarnings,
  deprecationWarningOf,
  updateWarnings
} from "../../../src/kubernetes/admission/admit.ts"
import { servedKinds } from "../../../src/kubernetes/meta/kinds.ts"
import { aDeployment, aPod, deployments, edited, pods } from "./drafts.ts"

const loss = "which may be dropped when using apply"
const [first, second] = ["spec.containers[0]", "spec.containers[1]"]

/** The warnings of a Pod whose containers have these ports, one list for each container. */
const portWarnings = (...ports: ReadonlyArray<ReadonlyArray<object>>): ReadonlyArray<string> =>
  createWarnings(
    pods,
    aPod({ containers: ports.map((list, index) => ({ name: `c${index}`, image: "i", ports: list })) })
  )

describe("warnings of duplicate ports in a new Pod (TestWarnings)", () => {
  it.each([
    { why: "ignores a single port", ports: [[{ containerPort: 80 }]], warnings: [] },
    { why: "ignores two numbers", ports: [[{ containerPort: 80 }, { containerPort: 81 }]], warnings: [] },
    {
      why: "ignores one number with two protocols",
      ports: [[{ containerPort: 80 }, { containerPort: 80, protocol: "UDP" }]],
      warnings: []
    },
    {
      why: "assumes TCP",
      ports: [[{ containerPort: 80 }, { containerPort: 80, protocol: "TCP" }]],
      warnings: [`${first}.ports[1]: duplicate port definition with ${first}.ports[0]`]
    },
    {
      why: "reports the third port with both others",
      ports: [[{ containerPort: 80 }, { containerPort: 80 }, { containerPort: 80 }]],
      warnings: [
        `${first}.ports[1]: duplicate port definition with ${first}.ports[0]`,
        `${first}.ports[2]: duplicate port definition with ${first}.ports[0]`,
        `${first}.ports[2]: duplicate port definition with ${first}.ports[1]`
      ]
    },
    {
      why: "compares the ports of all containers",
      ports: [[{ containerPort: 80 }], [{ containerPort: 81 }, { containerPort: 80 }]],
      warnings: [`${second}.ports[1]: duplicate port definition with ${first}.ports[0]`]
    },
    {
      why: "reports a host port as overlapping",
      ports: [[{ containerPort: 80 }, { containerPort: 80, hostPort: 1 }, { containerPort: 80 }]],
      warnings: [
        `${first}.ports[1]: overlapping port definition with ${first}.ports[0]`,
        `${first}.ports[2]: duplicate port definition with ${first}.ports[0]`,
        `${first}.ports[2]: overlapping port definition with ${first}.ports[1]`
      ]
    },
    {
      why: "ignores two host ports",
      ports: [
        [
          { containerPort: 80, hostPort: 8080 },
          { containerPort: 80, hostPort: 8081 }
        ]
      ],
      warnings: []
    },
    {
      why: "ignores two host addresses",
      ports: [
        [
          { containerPort: 80, hostPort: 8080, hostIP: "10.0.0.1" },
          { containerPort: 80, hostPort: 8080, hostIP: "10.0.0.2" }
        ]
      ],
      warnings: []
    },
    {
      why: "reports an ambiguous host address in either order",
      ports: [
        [
          { containerPort: 80, hostPort: 8080, hostIP: "10.0.0.1" },
          { containerPort: 80, hostPort: 8080 },
          { containerPort: 80, hostPort: 8080, hostIP: "10.0.0.2" }
        ]
      ],
      warnings: [
        `${first}.ports[1]: dangerously ambiguous port definition with ${first}.ports[0]`,
        `${first}.ports[2]: dangerously ambiguous port definition with ${first}.ports[1]`
      ]
    },
    {
      why: "reports a duplicate name with the port that will be used",
      ports: [
        [{ containerPort: 80, name: "web" }, { containerPort: 81 }],
        [{ containerPort: 90 }, { containerPort: 91, name: "web" }, { containerPort: 92, name: "web" }]
      ],
      warnings: [1, 2].map(
        (index) =>
          `${second}.ports[${index}]: duplicate port name "web" with ${first}.ports[0], ` +
          `services and probes that select ports by name will use ${first}.ports[0]`
      )
    },
    {
      why: "reports hostIP without hostPort",
      ports: [[{ name: "web", containerPort: 80, hostIP: "10.0.0.1" }]],
      warnings: [
        `${first}.ports[0]: hostIP set without hostPort: ` +
          "{Name:web HostPort:0 ContainerPort:80 Protocol:TCP HostIP:10.0.0.1}"
      ]
    }
  ])("$why", ({ ports, warnings }) => {
    expect(portWarnings(...ports)).toEqual(warnings)
  })

  it("stops after sixty-four duplicates", () => {
    const many = Array.from({ length: 70 }, () => ({ containerPort: 80 }))
    const ofLast = portWarnings(many).filter((text) => text.startsWith(`${first}.ports[69]`))
    expect(ofLast).toHaveLength(64)
    expect(ofLast.at(-1)).toBe(`${first}.ports[69]: duplicate port definition with ${first}.ports[63]`)
  })
})

describe("warnings of duplicate variables in a new Pod (TestWarnings)", () => {
  it.each([
    { why: "another value", again: { value: "b" }, warns: true },
    { why: "no value", again: {}, warns: true },
    { why: "only a reference to itself", again: { value: "$(A)" }, warns: true },
    { why: "a reference to itself and more", again: { value: "$(A):b" }, warns: false },
    { why: "its name in plain text", again: { value: "A:b" }, warns: true }
  ])("for $again: $why", ({ again, warns }) => {
    const env = [{ name: "B" }, { name: "A", value: "a" }, { name: "A", ...again }]
    const pod = aPod({ containers: [{ name: "app", image: "i", env }] })
    expect(createWarnings(pods, pod)).toEqual(
      warns ? [`${first}.env[2]: hides previous definition of "A", ${loss}`] : []
    )
  })

  it("are separate for each container, init containers first", () => {
    const twice = [{ name: "A" }, { name: "A" }]
    const pod = aPod({
      initContainers: [{ name: "setup", image: "i", env: twice }],
      containers: [
        { name: "a", image: "i", env: [{ name: "A" }], ports: [{ containerPort: 1 }, { containerPort: 1 }] },
        { name: "b", image: "i", env: twice }
      ]
    })
    expect(createWarnings(pods, pod)).toEqual([
      `spec.initContainers[0].env[1]: hides previous definition of "A", ${loss}`,
      `${second}.env[1]: hides previous definition of "A", ${loss}`,
      `${first}.ports[1]: duplicate port definition with ${first}.ports[0]`
    ])
  })
})

describe("warnings on update", () => {
  const env = [{ name: "A" }, { name: "A" }]
  const template = { spec: { containers: [{ name: "app", image: "i", env }] } }
  const ofEnv = `spec.template.${first}.env[1]: hides previous definition of "A", ${loss}`
  const deployment = (generation: number) =>
    edited(
      aDeployment(),
      ["metadata.name", "web.v2"],
      ["metadata.generation", generation],
      ["spec.template", template]
    )

  it("appear for a new generation, without the warning for the name", () => {
    expect(updateWarnings(deployments, deployment(7), deployment(8))).toEqual([ofEnv])
    expect(updateWarnings(deployments, deployment(7), deployment(7))).toEqual([])
    for (const missing of ["spec", "spec.template", "spec.template.spec"]) {
      expect(updateWarnings(deployments, deployment(7), edited(deployment(8), [missing, undefined]))).toEqual(
        []
      )
    }
  })

  it("do not appear for a Pod", () => {
    const pod = (generation: number) => edited(aPod(template.spec), ["metadata.generation", generation])
    expect(updateWarnings(pods, pod(1), pod(2))).toEqual([])
  })
})

describe("the warning of CEL rules", () => {
  const rules = { "x-kubernetes-validations": [{ rule: "self.a > 7" }] }
  const withRules = (kind: string) => ({
    apiVersion: "v1",
    kind,
    metadata: { name: "a" },
    spec: { versions: [{ schema: { openAPIV3Schema: rules } }] }
  })
  const celWarnings = [
    "spec.versions[0].schema.openAPIV3Schema.x-kubernetes-validations: charthouse does not evaluate CEL: objects that these rules would refuse are accepted"
  ]

  it("appears with every write of a CustomResourceDefinition, and of no other kind", () => {
    for (const [kind, warnings] of [
      ["CustomResourceDefinition", celWarnings],
      ["ConfigMap", []]
    ] as const) {
      const object = withRules(kind)
      expect(createWarnings(kindNamed(kind), object)).toEqual(warnings)
      expect(updateWarnings(kindNamed(kind), object, object)).toEqual(warnings)
    }
    const plain = edited(withRules("CustomResourceDefinition"), ["spec", undefined])
    expect(createWarnings(kindNamed("CustomResourceDefinition"), plain)).toEqual([])
  })
})

describe("the warning of a kind that has no effect", () => {
  const written = (kind: string, spec: object = {}) => {
    const object = { apiVersion: "v1", kind, metadata: { name: "a" }, spec }
    return createWarnings(kindNamed(kind), object)
  }

  it.each([
    {
      kind: "ValidatingWebhookConfiguration",
      warning: "charthouse calls no webhooks: this configuration is kept and has no effect"
    },
    {
      kind: "MutatingWebhookConfiguration",
      warning: "charthouse calls no webhooks: this configuration is kept and has no effect"
    },
    {
      kind: "ValidatingAdmissionPolicy",
      warning: "charthouse does not evaluate CEL: this policy is kept and has no effect"
    },
    {
      kind: "MutatingAdmissionPolicyBinding",
      warning: "charthouse evaluates no policies: this binding is kept and has no effect"
    }
  ])("appears when a $kind is written", ({ kind, warning }) => {
    expect(written(kind)).toEqual([warning])
  })

  it("appears for an APIService of another server, not for a local one", () => {
    expect(written("APIService", { service: { namespace: "shop", name: "api" } })).toEqual([
      "charthouse forwards no requests: this APIService is kept, and what it registers is not served"
    ])
    expect(written("APIService", { group: "apps", version: "v1" })).toEqual([])
  })
})

describe("warnings of Pods in other templates", () => {
  const env = [{ name: "A" }, { name: "A" }]
  const template = { spec: { containers: [{ name: "app", image: "i", env }] } }
  const usedInNames =
    "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; " +
    "a DNS label is recommended: [must not contain dots]"

  it.each([
    { kind: "DaemonSet", fields: { spec: { template } }, path: "spec.template.spec", usesName: false },
    { kind: "StatefulSet", fields: { spec: { template } }, path: "spec.template.spec", usesName: false },
    {
      kind: "ReplicationController",
      fields: { spec: { template } },
      path: "spec.template.spec",
      usesName: true
    },
    { kind: "Job", fields: { spec: { template } }, path: "spec.template.spec", usesName: true },
    {
      kind: "CronJob",
      fields: { spec: { jobTemplate: { spec: { template } } } },
      path: "spec.jobTemplate.spec.template.spec",
      usesName: true
    },
    { kind: "PodTemplate", fields: { template }, path: "template.spec", usesName: false }
  ])("name the path in a $kind", ({ kind, fields, path, usesName }) => {
    const object = { apiVersion: "v1", kind, metadata: { name: "web" }, ...fields }
    const hidden = `${path}.containers[0].env[1]: hides previous definition of "A", ${loss}`
    expect(createWarnings(kindNamed(kind), object)).toEqual([hidden])
    const dotted = { ...object, metadata: { name: "web.v2" } }
    expect(createWarnings(kindNamed(kind), dotted)).toEqual([...(usesName ? [usedInNames] : []), hidden])
  })
})

describe("no warning", () => {
  it("appears for a kind without Pods", () => {
    const odd = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a.b" }, spec: aPod().spec }
    expect(createWarnings(kindNamed("ConfigMap"), odd)).toEqual([])
  })

  it("appears for a generated name or for missing fields", () => {
    const unnamed = edited(aDeployment(), ["metadata.name", undefined], ["metadata.generateName", "a.b-"])
    expect(createWarnings(deployments, unnamed)).toEqual([])
    for (const missing of ["spec", "spec.template", "spec.template.spec", "spec.template.spec.containers"]) {
      expect(createWarnings(deployments, edited(aDeployment(), [missing, undefined]))).toEqual([])
    }
    expect(createWarnings(pods, edited(aPod(), ["spec", undefined]))).toEqual([])
  })
})

describe("the deprecation warning", () => {
  it("appears for v1 Endpoints and ComponentStatuses only", () => {
    const deprecated = servedKinds.filter((kind) => deprecationWarningOf(kind) !== undefined)
    expect(deprecated.map(({ group, kind }) => `${group}/${kind}`)).toEqual([
      "/Endpoints",
      "/ComponentStatus"
    ])
    expect(deprecated.map(deprecationWarningOf)).toEqual([
      "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
      "v1 ComponentStatus is deprecated in v1.19+"
    ])
    const [endpoints] = deprecated
    expect(endpoints && deprecationWarningOf({ ...endpoints, group: "example.com" })).toBeUndefined()
  })
})
