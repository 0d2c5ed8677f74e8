import { describe, expect, it } from "vitest"
import { validateCreate, validateUpdate, withDefaults } from "../../../../src/kubernetes/admission/admit.ts"
import {
  aDeployment,
  aPod,
  deployments,
  edited,
  deepFrozen,
  labelRule,
  podErrors,
  pods,
  errorTexts,
  type Edit,
  type ErrorRow
} from "../drafts.ts"

const check = (rows: ReadonlyArray<ErrorRow>): void => {
  it.each(rows)("$why", ({ edits, errors }) => {
    expect(podErrors(edits)).toEqual(errors)
  })
}

const required = "requiredDuringSchedulingIgnoredDuringExecution"
const preferred = "preferredDuringSchedulingIgnoredDuringExecution"
const qualifiedRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const valueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start " +
  "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for " +
  "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

const onNodes = (...requirements: ReadonlyArray<object>): Edit => [
  "spec.affinity",
  { nodeAffinity: { [required]: { nodeSelectorTerms: [{ matchExpressions: requirements }] } } }
]
const nodes = `spec.affinity.nodeAffinity.${required}.nodeSelectorTerms`

describe("the nodes that a Pod wants (TestValidatePodSpec, TestValidatePod)", () => {
  check([
    {
      why: "are of valid labels",
      edits: [
        onNodes(
          { key: "zone", operator: "In", values: ["a"] },
          { key: "cores", operator: "Gt", values: ["8"] }
        )
      ],
      errors: []
    },
    {
      why: "are told by a term at least",
      edits: [["spec.affinity", { nodeAffinity: { [required]: { nodeSelectorTerms: [] } } }]],
      errors: [`${nodes}: Required value: must have at least one node selector term`]
    },
    {
      why: "are compared as is known",
      edits: [onNodes({ key: "zone", operator: "Is", values: ["a"] })],
      errors: [`${nodes}[0].matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator`]
    },
    {
      why: "are compared with as many values as the operator takes",
      edits: [
        onNodes(
          { key: "zone", operator: "In", values: [] },
          { key: "zone", operator: "Exists", values: ["a"] },
          { key: "cores", operator: "Lt", values: ["1", "2"] }
        )
      ],
      errors: [
        `${nodes}[0].matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
        `${nodes}[0].matchExpressions[1].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
        `${nodes}[0].matchExpressions[2].values: Required value: must be specified single value when \`operator\` is 'Lt' or 'Gt'`
      ]
    },
    {
      why: "have values that a label can have, where they are required",
      edits: [onNodes({ key: "zone", operator: "In", values: ["a b"] })],
      errors: [`${nodes}[0].matchExpressions[0].values[0]: Invalid value: "a b": ${valueRule}`]
    },
    {
      why: "may have other values where they are only preferred, of a weight from 1 to 100",
      edits: [
        [
          "spec.affinity",
          {
            nodeAffinity: {
              [preferred]: [0, 1, 100, 101].map((weight) => ({
                weight,
                preference: { matchExpressions: [{ key: "zone", operator: "In", values: ["a b"] }] }
              }))
            }
          }
        ]
      ],
      errors: [
        `spec.affinity.nodeAffinity.${preferred}[0].weight: Invalid value: 0: must be in the range 1-100`,
        `spec.affinity.nodeAffinity.${preferred}[3].weight: Invalid value: 101: must be in the range 1-100`
      ]
    }
  ])
})

const podAffinityEdit = (term: object): Edit => [
  "spec.affinity",
  { podAffinity: { [required]: [{ topologyKey: "zone", ...term }] } }
]
const place = `spec.affinity.podAffinity.${required}[0]`
const web = { matchLabels: { app: "web" } }
const inBoth = "exists in both matchLabelKeys and labelSelector"
const withoutSelector = "Forbidden: must not be specified when labelSelector is not set"

describe("the Pods that a Pod wants to be near, or keeps away from", () => {
  check([
    {
      why: "are selected in a topology",
      edits: [podAffinityEdit({ labelSelector: web, namespaces: ["shop"], namespaceSelector: {} })],
      errors: []
    },
    {
      why: "need a topology key that is a label's name",
      edits: [podAffinityEdit({ topologyKey: "", labelSelector: web })],
      errors: [
        `${place}.topologyKey: Required value: can not be empty`,
        `${place}.topologyKey: Invalid value: "": name part must be non-empty`,
        `${place}.topologyKey: Invalid value: "": name part ${qualifiedRule}`
      ]
    },
    {
      why: "are kept away from by the same rules, and a preference has a weight too",
      edits: [
        [
          "spec.affinity",
          { podAntiAffinity: { [preferred]: [{ weight: 101, podAffinityTerm: { topologyKey: "a b" } }] } }
        ]
      ],
      errors: [
        `spec.affinity.podAntiAffinity.${preferred}[0].weight: Invalid value: 101: must be in the range 1-100`,
        `spec.affinity.podAntiAffinity.${preferred}[0].podAffinityTerm.topologyKey: Invalid value: "a b": name part ${qualifiedRule}`
      ]
    },
    {
      why: "are selected by valid selectors, in valid namespaces",
      edits: [
        podAffinityEdit({
          labelSelector: { matchExpressions: [{ key: "app", operator: "In" }] },
          namespaceSelector: { matchExpressions: [{ key: "team", operator: "Gt", values: ["1"] }] },
          namespaces: ["Shop"]
        })
      ],
      errors: [
        `${place}.labelSelector.matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
        `${place}.namespaceSelector.matchExpressions[0].operator: Invalid value: "Gt": not a valid selector operator`,
        `${place}.namespace: Invalid value: "Shop": ${labelRule}`
      ]
    },
    {
      why: "take keys of labels only beside a selector",
      edits: [podAffinityEdit({ matchLabelKeys: ["version"], mismatchLabelKeys: ["tenant"] })],
      errors: [
        `${place}.matchLabelKeys: ${withoutSelector}`,
        `${place}.mismatchLabelKeys: ${withoutSelector}`
      ]
    },
    {
      why: "take keys that are names of labels, and match and mismatch different ones",
      edits: [
        podAffinityEdit({
          labelSelector: web,
          matchLabelKeys: ["a b", "tenant"],
          mismatchLabelKeys: ["tenant"]
        })
      ],
      errors: [
        `${place}.matchLabelKeys[0]: Invalid value: "a b": name part ${qualifiedRule}`,
        `${place}.matchLabelKeys[1]: Invalid value: "tenant": exists in both matchLabelKeys and mismatchLabelKeys`
      ]
    },
    {
      why: "take no key of the Pod's labels that the selector has already",
      edits: [
        ["metadata.labels", { app: "web" }],
        podAffinityEdit({ labelSelector: web, matchLabelKeys: ["version", "app"] })
      ],
      errors: [`${place}[1]: Invalid value: "app": ${inBoth}`]
    },
    {
      why: "ignore a key that the Pod has no label of",
      edits: [["metadata.labels", {}], podAffinityEdit({ labelSelector: web, matchLabelKeys: ["app"] })],
      errors: []
    }
  ])
})

const spread = (...constraints: ReadonlyArray<object>): Edit => [
  "spec.topologySpreadConstraints",
  constraints.map((constraint) => ({
    maxSkew: 1,
    topologyKey: "zone",
    whenUnsatisfiable: "DoNotSchedule",
    labelSelector: web,
    ...constraint
  }))
]
const first = "spec.topologySpreadConstraints[0]"

describe("how Pods are spread (TestValidateTopologySpreadConstraints)", () => {
  check([
    {
      why: "is told by constraints that differ in key or action",
      edits: [
        spread(
          { minDomains: 2, nodeAffinityPolicy: "Honor", nodeTaintsPolicy: "Ignore" },
          { whenUnsatisfiable: "ScheduleAnyway" },
          { topologyKey: "kubernetes.io/hostname", matchLabelKeys: ["version"] }
        )
      ],
      errors: []
    },
    {
      why: "needs a skew, a key and an action",
      edits: [["spec.topologySpreadConstraints", [{}]]],
      errors: [
        `${first}.maxSkew: Invalid value: 0: must be greater than zero`,
        `${first}.topologyKey: Required value: can not be empty`,
        `${first}.whenUnsatisfiable: Unsupported value: "": supported values: "DoNotSchedule", "ScheduleAnyway"`
      ]
    },
    {
      why: "has one constraint of a key and an action",
      edits: [spread({}, { maxSkew: 2 })],
      errors: [`${first}.{topologyKey, whenUnsatisfiable}: Duplicate value: "{zone, DoNotSchedule}"`]
    },
    {
      why: "counts one domain or more, and only where a Pod may not be scheduled",
      edits: [spread({ minDomains: 0, whenUnsatisfiable: "ScheduleAnyway" })],
      errors: [
        `${first}.minDomains: Invalid value: 0: must be greater than zero`,
        `${first}.minDomains: Invalid value: 0: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway`
      ]
    },
    {
      why: "honors or ignores what nodes there are",
      edits: [spread({ nodeAffinityPolicy: "Maybe", nodeTaintsPolicy: "" })],
      errors: [
        `${first}.nodeAffinityPolicy: Unsupported value: "Maybe": supported values: "Honor", "Ignore"`,
        `${first}.nodeTaintsPolicy: Unsupported value: "": supported values: "Honor", "Ignore"`
      ]
    },
    {
      why: "takes keys of labels only beside a selector",
      edits: [spread({ labelSelector: undefined, matchLabelKeys: ["version"] })],
      errors: [`${first}.matchLabelKeys: ${withoutSelector}`]
    },
    {
      why: "selects Pods by a valid selector that has none of the keys",
      edits: [
        ["metadata.labels", { app: "web" }],
        spread({
          labelSelector: { matchExpressions: [{ key: "app", operator: "Has" }] },
          matchLabelKeys: ["app"]
        })
      ],
      errors: [
        `${first}.labelSelector.matchExpressions[0].operator: Invalid value: "Has": not a valid selector operator`,
        `${first}[0]: Invalid value: "app": ${inBoth}`
      ]
    }
  ])
})

describe("placement in a Pod template", () => {
  const inTemplate = (...edits: ReadonlyArray<Edit>): ReadonlyArray<string> => {
    const draft = edited(
      aDeployment(),
      ...edits.map(([path, value]) => [`spec.template.${path}`, value] as const)
    )
    return errorTexts(validateCreate(deployments, withDefaults(deployments, deepFrozen(draft))))
  }

  it("is refused by the same rules, under the template's path", () => {
    expect(
      inTemplate(spread({ maxSkew: -1 }), podAffinityEdit({ topologyKey: "a b", labelSelector: web }))
    ).toEqual([
      `spec.template.${place}.topologyKey: Invalid value: "a b": name part ${qualifiedRule}`,
      `spec.template.${first}.maxSkew: Invalid value: -1: must be greater than zero`
    ])
  })

  it("may repeat a key of the selector: only a Pod has labels to take its value from", () => {
    expect(inTemplate(podAffinityEdit({ labelSelector: web, matchLabelKeys: ["app"] }))).toEqual([])
  })
})

it("a Pod whose label has become one of its keys can still be changed", () => {
  const term = podAffinityEdit({ labelSelector: web, matchLabelKeys: ["app"] })
  const stored = deepFrozen(withDefaults(pods, edited(aPod(), ["metadata.labels", {}], term)))
  const labelled = deepFrozen(edited(stored, ["metadata.labels", { app: "web" }]))
  expect(errorTexts(validateUpdate(pods, labelled, stored))).toEqual([])
})
