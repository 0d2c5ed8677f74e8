import { describe, expect, it } from "vitest"
import { createErrors, refusesNew } from "../kindErrors.ts"
import type { LooseDraft } from "../../../../builders.ts"
import type { Edit } from "../../drafts.ts"

const uid = "1a2b3c"
const labels = {
  "controller-uid": uid,
  "job-name": "pi",
  "batch.kubernetes.io/controller-uid": uid,
  "batch.kubernetes.io/job-name": "pi"
}
/** A Job as the API server completes it: with the selector and the labels that it generates. */
const aJob: LooseDraft = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "pi", namespace: "shop", uid },
  spec: {
    selector: { matchLabels: { "batch.kubernetes.io/controller-uid": uid } },
    template: {
      metadata: { labels },
      spec: { restartPolicy: "Never", containers: [{ name: "pi", image: "perl" }] }
    }
  }
}
const indexed: ReadonlyArray<Edit> = [
  ["spec.completionMode", "Indexed"],
  ["spec.completions", 5]
]
const negative = (field: string) => `spec.${field}: Invalid value: -1: must be greater than or equal to 0`
const needsIndexed = "requires indexed completion mode"
const restart = "spec.template.spec.restartPolicy"

describe("a new Job", () => {
  refusesNew(aJob, [
    { why: "is valid with a generated selector", edits: [], errors: [] },
    { why: "is valid before its selector is generated", edits: [["spec.selector", undefined]], errors: [] },
    {
      why: "has Pods that end: a template without a restart policy, which defaults to Always, is refused",
      edits: [[restart, undefined]],
      errors: [`${restart}: Required value: valid values: "OnFailure", "Never"`]
    },
    {
      why: "has Pods that do not always restart",
      edits: [[restart, "Always"]],
      errors: [`${restart}: Required value: valid values: "OnFailure", "Never"`]
    },
    {
      why: "has a restart policy that exists",
      edits: [[restart, "Sometimes"]],
      errors: [
        `${restart}: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"`,
        `${restart}: Unsupported value: "Sometimes": supported values: "OnFailure", "Never"`
      ]
    },
    {
      why: "has containers",
      edits: [["spec.template.spec.containers", []]],
      errors: ["spec.template.spec.containers: Required value"]
    },
    {
      why: "has no negative amounts",
      edits: [
        ["spec.parallelism", -1],
        ["spec.completions", -1],
        ["spec.activeDeadlineSeconds", -1],
        ["spec.backoffLimit", -1],
        ["spec.ttlSecondsAfterFinished", -1]
      ],
      errors: [
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished"
      ].map(negative)
    },
    {
      why: "counts failures per index only with indexes",
      edits: [["spec.maxFailedIndexes", 2]],
      errors: [
        "spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified",
        `spec.maxFailedIndexes: Invalid value: 2: ${needsIndexed}`
      ]
    },
    {
      why: "is managed by a controller with a domain",
      edits: [["spec.managedBy", "kueue"]],
      errors: [
        'spec.managedBy: Invalid value: "kueue": must be a domain-prefixed path (such as "acme.io/foo")'
      ]
    },
    {
      why: "has a short name of its controller",
      edits: [["spec.managedBy", `example.com/${"x".repeat(60)}`]],
      errors: ["spec.managedBy: Too long: may not be more than 63 bytes"]
    },
    {
      why: "has a completion mode that exists",
      edits: [["spec.completionMode", "All"]],
      errors: ['spec.completionMode: Unsupported value: "All": supported values: "NonIndexed", "Indexed"']
    },
    {
      why: "replaces Pods by a policy that exists",
      edits: [["spec.podReplacementPolicy", "Soon"]],
      errors: [
        'spec.podReplacementPolicy: Unsupported value: "Soon": supported values: "Failed", "TerminatingOrFailed"'
      ]
    },
    {
      why: "has a selector only if it says so",
      edits: [["spec.selector", { matchLabels: { app: "pi" } }]],
      errors: [
        'spec.selector: Invalid value: {"matchLabels":{"app":"pi"}}: `selector` not auto-generated',
        'spec.template.metadata.labels: Invalid value: {"batch.kubernetes.io/controller-uid":"1a2b3c",' +
          '"batch.kubernetes.io/job-name":"pi","controller-uid":"1a2b3c","job-name":"pi"}: ' +
          "`selector` does not match template `labels`"
      ]
    },
    {
      why: "has Pods with the labels that tell whose they are",
      edits: [
        ["spec.template.metadata.labels", { ...labels, "job-name": "tau", "controller-uid": undefined }]
      ],
      errors: [
        "spec.template.metadata.labels[controller-uid]: Required value: must be '1a2b3c'",
        'spec.template.metadata.labels[job-name]: Invalid value: {"job-name":"tau",' +
          '"batch.kubernetes.io/controller-uid":"1a2b3c","batch.kubernetes.io/job-name":"pi"}: must be \'pi\''
      ]
    },
    {
      why: "brings its own selector if it says so",
      edits: [
        ["spec.manualSelector", true],
        ["spec.selector", undefined]
      ],
      errors: ["spec.selector: Required value"]
    },
    {
      why: "has a selector of its own that matches its Pods",
      edits: [
        ["spec.manualSelector", true],
        ["spec.selector", { matchLabels: { app: "pi" } }],
        ["spec.template.metadata.labels", { app: "tau" }]
      ],
      errors: [
        'spec.template.metadata.labels: Invalid value: {"app":"tau"}: `selector` does not match template `labels`'
      ]
    }
  ])
})

describe("a new Indexed Job", () => {
  refusesNew(aJob, [
    { why: "is valid with completions", edits: indexed, errors: [] },
    {
      why: "needs completions, unless it runs one Pod at once by default",
      edits: [
        ["spec.completionMode", "Indexed"],
        ["spec.parallelism", 2]
      ],
      errors: ["spec.completions: Required value: when completion mode is Indexed"]
    },
    {
      why: "runs at most 100000 Pods at once",
      edits: [...indexed, ["spec.parallelism", 100_001]],
      errors: [
        "spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed"
      ]
    },
    {
      why: "has no more failed indexes than indexes",
      edits: [...indexed, ["spec.backoffLimitPerIndex", 1], ["spec.maxFailedIndexes", 6]],
      errors: ["spec.maxFailedIndexes: Invalid value: 6: must be less than or equal to completions"]
    },
    {
      why: "with many indexes and a limit for each says how many may fail",
      edits: [
        ...indexed,
        ["spec.completions", 100_001],
        ["spec.backoffLimitPerIndex", 1],
        ["spec.parallelism", 10_001]
      ],
      errors: [
        "spec.maxFailedIndexes: Required value: must be specified when completions is above 100000",
        "spec.parallelism: Invalid value: 10001: must be less than or equal to 10000 when completions are above " +
          "100000 and used with backoff limit per index"
      ]
    },
    {
      why: "has a name that leaves room for the index in a host name",
      edits: [...indexed, ["metadata.name", "n".repeat(62)], ["metadata.uid", undefined]],
      errors: [
        `metadata.name: Invalid value: "${"n".repeat(62)}": will not able to create pod with invalid DNS label: ` +
          `${"n".repeat(62)}-4`
      ]
    }
  ])
})

const rule = "spec.podFailurePolicy.rules[0]"
const failurePolicy = (more: object): ReadonlyArray<Edit> => [["spec.podFailurePolicy", { rules: [more] }]]

describe("the failure policy of a Job", () => {
  const onExitCodes = { operator: "In", values: [1, 42] }

  refusesNew(aJob, [
    { why: "may count exit codes", edits: failurePolicy({ action: "FailJob", onExitCodes }), errors: [] },
    {
      why: "may count conditions",
      edits: failurePolicy({
        action: "Ignore",
        onPodConditions: [{ type: "DisruptionTarget", status: "True" }]
      }),
      errors: []
    },
    {
      why: "has an action and a reason in each rule",
      edits: failurePolicy({}),
      errors: [
        `${rule}.action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]`,
        `${rule}: Invalid value: specifying one of OnExitCodes and OnPodConditions is required`
      ]
    },
    {
      why: "has one reason in each rule",
      edits: failurePolicy({ action: "Quit", onExitCodes, onPodConditions: [{ type: "a b" }] }),
      errors: [
        `${rule}.action: Unsupported value: "Quit": supported values: "Count", "FailIndex", "FailJob", "Ignore"`,
        `${rule}.onPodConditions[0].type: Invalid value: "a b": name part must consist of alphanumeric ` +
          "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or " +
          "'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        `${rule}: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported`
      ]
    },
    {
      why: "fails an index only where indexes have limits",
      edits: failurePolicy({ action: "FailIndex", onExitCodes }),
      errors: [`${rule}.action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set`]
    },
    {
      why: "has exit codes that are failures, in order, each once, of a container that exists",
      edits: failurePolicy({
        action: "Count",
        onExitCodes: { operator: "In", values: [3, 0, 3], containerName: "tau" }
      }),
      errors: [
        `${rule}.onExitCodes.containerName: Invalid value: "tau": must be one of the container or initContainer ` +
          "names in the pod template",
        `${rule}.onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator`,
        `${rule}.onExitCodes.values[2]: Duplicate value: 3`,
        `${rule}.onExitCodes.values: Invalid value: [3,0,3]: must be ordered`
      ]
    },
    {
      why: "has an operator and values",
      edits: failurePolicy({ action: "Count", onExitCodes: {} }),
      errors: [
        `${rule}.onExitCodes.operator: Required value: valid values: ["In" "NotIn"]`,
        `${rule}.onExitCodes.values: Invalid value: null: at least one value is required`
      ]
    },
    {
      why: "has at most twenty rules",
      edits: [
        [
          "spec.podFailurePolicy",
          { rules: Array.from({ length: 21 }, () => ({ action: "Count", onExitCodes })) }
        ]
      ],
      errors: ["spec.podFailurePolicy.rules: Too many: 21: must have at most 20 items"]
    },
    {
      why: "needs Pods that never restart, and replaces only failed ones",
      edits: [
        ...failurePolicy({ action: "Count", onExitCodes }),
        [restart, "OnFailure"],
        ["spec.podReplacementPolicy", "TerminatingOrFailed"]
      ],
      errors: [
        'spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"',
        `${restart}: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified`
      ]
    }
  ])
})

describe("the success policy of a Job", () => {
  const success = "spec.successPolicy.rules"
  const policy = (...rules: ReadonlyArray<object>): ReadonlyArray<Edit> => [
    ...indexed,
    ["spec.successPolicy", { rules }]
  ]
  const parsing = (text: string, why: string) =>
    `${success}[0].succeededIndexes: Invalid value: "${text}": error parsing succeededIndexes: ${why}`

  refusesNew(aJob, [
    { why: "may name indexes", edits: policy({ succeededIndexes: "0,2-4", succeededCount: 3 }), errors: [] },
    {
      why: "is for Indexed Jobs",
      edits: [["spec.successPolicy", { rules: [{ succeededCount: 1 }] }]],
      errors: [
        `spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: ${needsIndexed}`
      ]
    },
    {
      why: "has rules",
      edits: policy(),
      errors: [
        `${success}: Required value: at least one rules must be specified when the successPolicy is specified`
      ]
    },
    {
      why: "has rules that ask for something",
      edits: policy({}),
      errors: [
        `${success}[0]: Required value: at least one of succeededCount or succeededIndexes must be specified`
      ]
    },
    {
      why: "asks for no more indexes than it has",
      edits: policy({ succeededCount: 6 }, { succeededIndexes: "1-2", succeededCount: 3 }),
      errors: [
        `${success}[0].succeededCount: Invalid value: 6: must be less than or equal to 5 (the number of specified ` +
          "completions)",
        `${success}[1].succeededCount: Invalid value: 3: must be less than or equal to 2 (the number of indexes in ` +
          "the specified succeededIndexes field)"
      ]
    }
  ])

  it.each([
    ["5", 'too large index: "5"'],
    ["1-9", 'too large index: "9"'],
    ["a", 'cannot convert string to integer for index: "a"'],
    ["3,1", "non-increasing order, previous: 3, current: 1"],
    ["3-3", "non-increasing order, previous: 3, current: 3"],
    [
      "1-2-3",
      'the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated ' +
        "by '-'"
    ]
  ])("names indexes that exist, in order: not %s", (succeededIndexes, why) => {
    const quoted = succeededIndexes
    expect(createErrors(aJob, ...policy({ succeededIndexes }))).toEqual([parsing(quoted, why)])
  })
})
