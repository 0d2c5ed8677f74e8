import { describe, expect, it } from "vitest"
import {
  createWarnings,
  deprecationWarningOf,
  updateWarnings
} from "../../../src/kubernetes/admission/admit.ts"
import { servedKinds } from "../../../src/kubernetes/meta/kinds.ts"
import { aDeployment, aPod, deployments, edited, kindNamed, pods } from "./drafts.ts"

const loss = "which may be dropped when using apply"
const [first, second] = ["spec.containers[0]", "spec.containers[1]"]

/** What a Pod is warned of whose containers have these ports, a list a container. */
const portWarnings = (...ports: ReadonlyArray<ReadonlyArray<object>>): ReadonlyArray<string> =>
  createWarnings(
    pods,
    aPod({ containers: ports.map((list, index) => ({ name: `c${index}`, image: "i", ports: list })) })
  )

describe("a port of a Pod that is created (TestWarnings)", () => {
  it.each([
    { why: "one", ports: [[{ containerPort: 80 }]], warnings: [] },
    { why: "two", ports: [[{ containerPort: 80 }, { containerPort: 81 }]], warnings: [] },
    {
      why: "one number, two protocols",
      ports: [[{ containerPort: 80 }, { containerPort: 80, protocol: "UDP" }]],
      warnings: []
    },
    {
      why: "the protocol is TCP where none is named",
      ports: [[{ containerPort: 80 }, { containerPort: 80, protocol: "TCP" }]],
      warnings: [`${first}.ports[1]: duplicate port definition with ${first}.ports[0]`]
    },
    {
      why: "the third is told of both",
      ports: [[{ containerPort: 80 }, { containerPort: 80 }, { containerPort: 80 }]],
      warnings: [
        `${first}.ports[1]: duplicate port definition with ${first}.ports[0]`,
        `${first}.ports[2]: duplicate port definition with ${first}.ports[0]`,
        `${first}.ports[2]: duplicate port definition with ${first}.ports[1]`
      ]
    },
    {
      why: "all containers share one network",
      ports: [[{ containerPort: 80 }], [{ containerPort: 81 }, { containerPort: 80 }]],
      warnings: [`${second}.ports[1]: duplicate port definition with ${first}.ports[0]`]
    },
    {
      why: "a host's port makes one without needless",
      ports: [[{ containerPort: 80 }, { containerPort: 80, hostPort: 1 }, { containerPort: 80 }]],
      warnings: [
        `${first}.ports[1]: overlapping port definition with ${first}.ports[0]`,
        `${first}.ports[2]: duplicate port definition with ${first}.ports[0]`,
        `${first}.ports[2]: overlapping port definition with ${first}.ports[1]`
      ]
    },
    {
      why: "two ports of the host are two",
      ports: [
        [
          { containerPort: 80, hostPort: 8080 },
          { containerPort: 80, hostPort: 8081 }
        ]
      ],
      warnings: []
    },
    {
      why: "and so are two of its addresses",
      ports: [
        [
          { containerPort: 80, hostPort: 8080, hostIP: "10.0.0.1" },
          { containerPort: 80, hostPort: 8080, hostIP: "10.0.0.2" }
        ]
      ],
      warnings: []
    },
    {
      why: "one address is among all of them, whichever comes first",
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
      why: "whoever asks for a name gets the first that has it",
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
      why: "an address alone says nothing",
      ports: [[{ name: "web", containerPort: 80, hostIP: "10.0.0.1" }]],
      warnings: [
        `${first}.ports[0]: hostIP set without hostPort: ` +
          "{Name:web HostPort:0 ContainerPort:80 Protocol:TCP HostIP:10.0.0.1}"
      ]
    }
  ])("$why", ({ ports, warnings }) => {
    expect(portWarnings(...ports)).toEqual(warnings)
  })

  it("given over and over is told of the first sixty-four", () => {
    const many = Array.from({ length: 70 }, () => ({ containerPort: 80 }))
    const ofLast = portWarnings(many).filter((text) => text.startsWith(`${first}.ports[69]`))
    expect(ofLast).toHaveLength(64)
    expect(ofLast.at(-1)).toBe(`${first}.ports[69]: duplicate port definition with ${first}.ports[63]`)
  })
})

describe("a variable of a Pod that is created (TestWarnings)", () => {
  it.each([
    { why: "a second value", again: { value: "b" }, warns: true },
    { why: "no value any more", again: {}, warns: true },
    { why: "itself and nothing else", again: { value: "$(A)" }, warns: true },
    { why: "itself and more", again: { value: "$(A):b" }, warns: false },
    { why: "a namesake in text alone", again: { value: "A:b" }, warns: true }
  ])("given again as $again: $why", ({ again, warns }) => {
    const env = [{ name: "B" }, { name: "A", value: "a" }, { name: "A", ...again }]
    const pod = aPod({ containers: [{ name: "app", image: "i", env }] })
    expect(createWarnings(pods, pod)).toEqual(
      warns ? [`${first}.env[2]: hides previous definition of "A", ${loss}`] : []
    )
  })

  it("is another one in another container, and those that start first come first", () => {
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

describe("what is changed", () => {
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

  it("is warned of where it is a new generation, and then not of its name", () => {
    expect(updateWarnings(deployments, deployment(7), deployment(8))).toEqual([ofEnv])
    expect(updateWarnings(deployments, deployment(7), deployment(7))).toEqual([])
    for (const missing of ["spec", "spec.template", "spec.template.spec"]) {
      expect(updateWarnings(deployments, deployment(7), edited(deployment(8), [missing, undefined]))).toEqual(
        []
      )
    }
  })

  it("is not, if it is a Pod", () => {
    const pod = (generation: number) => edited(aPod(template.spec), ["metadata.generation", generation])
    expect(updateWarnings(pods, pod(1), pod(2))).toEqual([])
  })
})

describe("a rule in CEL", () => {
  const rules = { "x-kubernetes-validations": [{ rule: "self.a > 7" }] }
  const withRules = (kind: string) => ({
    apiVersion: "v1",
    kind,
    metadata: { name: "a" },
    spec: { versions: [{ schema: { openAPIV3Schema: rules } }] }
  })
  const told = [
    "spec.versions[0].schema.openAPIV3Schema.x-kubernetes-validations: charthouse does not evaluate CEL: objects are taken that these rules would refuse"
  ]

  it("is told of with every write of a definition, and nowhere else", () => {
    for (const [kind, warnings] of [
      ["CustomResourceDefinition", told],
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

describe("nobody is warned", () => {
  it("of a kind without Pods", () => {
    const odd = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a.b" }, spec: aPod().spec }
    expect(createWarnings(kindNamed("ConfigMap"), odd)).toEqual([])
  })

  it("of a name that is still to be made up, nor of what is not there", () => {
    const unnamed = edited(aDeployment(), ["metadata.name", undefined], ["metadata.generateName", "a.b-"])
    expect(createWarnings(deployments, unnamed)).toEqual([])
    for (const missing of ["spec", "spec.template", "spec.template.spec", "spec.template.spec.containers"]) {
      expect(createWarnings(deployments, edited(aDeployment(), [missing, undefined]))).toEqual([])
    }
    expect(createWarnings(pods, edited(aPod(), ["spec", undefined]))).toEqual([])
  })
})

describe("a kind that is about to go", () => {
  it("is Endpoints and no other", () => {
    const told = servedKinds.filter((kind) => deprecationWarningOf(kind) !== undefined)
    expect(told.map(({ group, kind }) => `${group}/${kind}`)).toEqual(["/Endpoints"])
    expect(told.map(deprecationWarningOf)).toEqual([
      "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"
    ])
    const [endpoints] = told
    expect(endpoints && deprecationWarningOf({ ...endpoints, group: "example.com" })).toBeUndefined()
  })
})
