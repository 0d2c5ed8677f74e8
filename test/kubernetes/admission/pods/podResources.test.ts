import { describe, expect, it } from "vitest"
import { validateCreate, withDefaults } from "../../../../src/kubernetes/admission/admit.ts"
import { aDeployment, aPod, deployments, edited, errorTexts, pods, valueAt } from "../drafts.ts"

type Amounts = Readonly<Record<string, string>>
interface Resources {
  readonly requests?: Amounts
  readonly limits?: Amounts
  readonly claims?: ReadonlyArray<object>
}

const containers = (...resources: ReadonlyArray<Resources>) =>
  resources.map((each, index) => ({ name: `c${index}`, image: "i", resources: each }))
const specOf = (resources: Resources | undefined, ...ofContainers: ReadonlyArray<Resources>) => ({
  ...(resources === undefined ? {} : { resources }),
  containers: containers(...(ofContainers.length === 0 ? [{}] : ofContainers))
})
const field = "spec.resources"

describe("resources of a Pod as a whole (TestValidatePodResources, TestValidatePodResourceConsistency)", () => {
  it.each<{ why: string; spec: object; errors: ReadonlyArray<string> }>([
    { why: "may be empty", spec: specOf({}), errors: [] },
    {
      why: "may limit less than the containers together",
      spec: specOf(
        { limits: { cpu: "2" } },
        { limits: { cpu: "2" }, requests: { cpu: "1" } },
        { limits: { cpu: "1" } }
      ),
      errors: []
    },
    {
      why: "request no less than the containers together",
      spec: specOf(
        { requests: { cpu: "1", memory: "2Gi" } },
        { requests: { cpu: "1" } },
        { requests: { cpu: "500m" } }
      ),
      errors: [
        `${field}.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 1500m`
      ]
    },
    {
      why: "request no less than the largest init container",
      spec: {
        ...specOf({ requests: { memory: "1Gi" } }, { requests: { memory: "1Gi" } }),
        initContainers: [{ name: "i", image: "i", resources: { requests: { memory: "1025Mi" } } }]
      },
      errors: [
        `${field}.requests[memory]: Invalid value: "1Gi": must be greater than or equal to aggregate container requests ` +
          "of 1025Mi"
      ]
    },
    {
      why: "limit no container to less than its limit",
      spec: specOf(
        { limits: { cpu: "1" }, requests: { cpu: "500m" } },
        { requests: { cpu: "100m" } },
        { limits: { cpu: "2" }, requests: { cpu: "100m" } }
      ),
      errors: [
        `${field}.containers[1][cpu].limits: Invalid value: "2": must be less than or equal to pod limits of 1`
      ]
    },
    {
      why: "request no more than the limit, which may come from the containers",
      spec: specOf({ limits: { cpu: "500m" } }, { requests: { cpu: "1" } }),
      errors: [`${field}.requests: Invalid value: "1": must be less than or equal to cpu limit of 500m`]
    },
    {
      why: "limit huge pages to no less than the containers together",
      spec: specOf(
        { limits: { cpu: "1", "hugepages-2Mi": "2Mi" } },
        { limits: { cpu: "100m", "hugepages-2Mi": "2Mi" } },
        { limits: { cpu: "100m", "hugepages-2Mi": "2Mi" } }
      ),
      errors: [
        `${field}.requests[hugepages-2Mi]: Invalid value: "2Mi": must be greater than or equal to aggregate container ` +
          "requests of 4Mi",
        `${field}.limits[hugepages-2Mi]: Invalid value: "2Mi": must be greater than or equal to aggregate container ` +
          "limits of 4Mi"
      ]
    },
    {
      why: "are of CPU, memory and huge pages",
      spec: specOf({ requests: { "ephemeral-storage": "1Gi", "example.com/gpu": "1", gpu: "1", "-x": "1" } }),
      errors: [
        `${field}.requests[ephemeral-storage]: Unsupported value: "ephemeral-storage": supported values: "cpu", ` +
          '"hugepages-", "memory"',
        `${field}.requests[example.com/gpu]: Unsupported value: "example.com/gpu": supported values: "cpu", ` +
          '"hugepages-", "memory"',
        `${field}.requests[gpu]: Invalid value: "gpu": must be a standard resource type or fully qualified`,
        `${field}.requests[-x]: Invalid value: "-x": name part must consist of alphanumeric characters, '-', '_' ` +
          "or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or " +
          "'123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        `${field}.limits: Required value: Limit must be set for non overcommitable resources`
      ]
    },
    {
      why: "have no claims",
      spec: specOf({ claims: [{ name: "gpu" }] }),
      errors: [`${field}.claims: Forbidden: claims may not be set for Resources at pod-level`]
    },
    {
      why: "are not for Windows",
      spec: { ...specOf({ requests: { gpu: "1" } }), os: { name: "windows" } },
      errors: [`${field}: Forbidden: may not be set for a windows pod`]
    }
  ])("$why", ({ spec, errors }) => {
    expect(errorTexts(validateCreate(pods, withDefaults(pods, aPod(spec))))).toEqual(errors)
  })

  it("are checked in a template, without the defaults of a Pod", () => {
    const inTemplate = (spec: object) => {
      const edits = Object.entries(spec).map(([key, value]) => [`spec.template.spec.${key}`, value] as const)
      return errorTexts(
        validateCreate(deployments, withDefaults(deployments, edited(aDeployment(), ...edits)))
      )
    }
    expect(inTemplate(specOf({ limits: { cpu: "500m" } }, { requests: { cpu: "1" } }))).toEqual([])
    expect(inTemplate(specOf({ requests: { cpu: "500m" } }, { requests: { cpu: "1" } }))).toEqual([
      'spec.template.spec.resources.requests[cpu]: Invalid value: "500m": must be greater than or equal to ' +
        "aggregate container requests of 1"
    ])
  })
})

describe("defaults of the resources of a Pod as a whole (TestPodResourcesDefaults)", () => {
  it.each<{
    why: string
    resources: Resources | undefined
    ofContainers: ReadonlyArray<Resources>
    value: unknown
  }>([
    {
      why: "none without any",
      resources: undefined,
      ofContainers: [{ limits: { cpu: "1" } }],
      value: undefined
    },
    { why: "none for empty ones", resources: {}, ofContainers: [{ limits: { cpu: "1" } }], value: {} },
    {
      why: "no limits for requests",
      resources: { requests: { cpu: "3" } },
      ofContainers: [{ limits: { cpu: "1" } }],
      value: { requests: { cpu: "3" } }
    },
    {
      why: "limits as requests",
      resources: { limits: { cpu: "2", memory: "1024Mi" } },
      ofContainers: [{}],
      value: { limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "2", memory: "1Gi" } }
    },
    {
      why: "the containers' requests, before limits",
      resources: { limits: { cpu: "5", memory: "7Mi" } },
      ofContainers: [{ limits: { cpu: "2" } }, { requests: { cpu: "1", "ephemeral-storage": "1Gi" } }],
      value: { limits: { cpu: "5", memory: "7Mi" }, requests: { cpu: "3", memory: "7Mi" } }
    },
    {
      why: "the containers' requests of what the Pod does not limit",
      resources: { limits: { cpu: "5" }, requests: { cpu: "4" } },
      ofContainers: [{ requests: { memory: "1Gi" } }],
      value: { limits: { cpu: "5" }, requests: { cpu: "4", memory: "1Gi" } }
    },
    {
      why: "the containers' limits of huge pages, as requests, too",
      resources: { requests: { cpu: "1" } },
      ofContainers: [
        { limits: { cpu: "1", "hugepages-2Mi": "2Mi" } },
        { limits: { "hugepages-2Mi": "4Mi" } }
      ],
      value: { limits: { "hugepages-2Mi": "6Mi" }, requests: { cpu: "1", "hugepages-2Mi": "6Mi" } }
    }
  ])("$why", ({ resources, ofContainers, value }) => {
    const pod = withDefaults(pods, aPod(specOf(resources, ...ofContainers)))
    expect(valueAt(pod, "spec.resources")).toEqual(value)
    expect(withDefaults(pods, pod)).toEqual(pod)
  })

  it("are written canonically, in a template, too, which gets no requests", () => {
    const written = edited(aDeployment(), ["spec.template.spec.resources", { limits: { cpu: "0.5" } }])
    expect(valueAt(withDefaults(deployments, written), "spec.template.spec.resources")).toEqual({
      limits: { cpu: "500m" }
    })
  })
})
