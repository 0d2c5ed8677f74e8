import { describe, expect, it } from "vitest"
import { validateCreate, withDefaults } from "../../../src/kubernetes/admission/admit.ts"
import { aDeployment, deployments, edited, labelRule, podErrors, texts, type ErrorRow } from "./drafts.ts"

const app = "spec.containers.0"
const field = "spec.containers[0]"
const range = "must be between 1 and 65535, inclusive"

const check = (rows: ReadonlyArray<ErrorRow>): void => {
  it.each(rows)("$why", ({ edits, errors }) => {
    expect(podErrors(edits)).toEqual(errors)
  })
}

describe("volumes and their mounts (TestValidateVolumes, TestValidateVolumeMounts)", () => {
  check([
    {
      why: "a volume without a source is an empty one",
      edits: [["spec.volumes", [{ name: "v" }]]],
      errors: []
    },
    {
      why: "a volume has a name of its own",
      edits: [["spec.volumes", [{ name: "v" }, { name: "v" }, { name: "V" }]]],
      errors: [
        'spec.volumes[1].name: Duplicate value: "v"',
        `spec.volumes[2].name: Invalid value: "V": ${labelRule}`
      ]
    },
    {
      why: "a volume is of one kind",
      edits: [["spec.volumes", [{ name: "v", emptyDir: {}, hostPath: { path: "/x" } }]]],
      errors: ["spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type"]
    },
    {
      why: "only what is there can be mounted",
      edits: [[`${app}.volumeMounts`, [{ name: "v", mountPath: "/x" }]]],
      errors: [`${field}.volumeMounts[0].name: Not found: "v"`]
    },
    {
      why: "one mount at a path",
      edits: [
        ["spec.volumes", [{ name: "v" }, { name: "w" }]],
        [
          `${app}.volumeMounts`,
          [{ name: "v", mountPath: "/x" }, { name: "w", mountPath: "/x" }, { name: "w" }]
        ]
      ],
      errors: [
        `${field}.volumeMounts[1].mountPath: Invalid value: "/x": must be unique`,
        `${field}.volumeMounts[2].mountPath: Required value`
      ]
    }
  ])
})

describe("probes and hooks (TestValidateProbe, TestValidateHandler)", () => {
  check([
    {
      why: "a probe asks somehow",
      edits: [[`${app}.readinessProbe`, {}]],
      errors: [`${field}.readinessProbe: Required value: must specify a handler type`]
    },
    {
      why: "a probe asks in one way",
      edits: [[`${app}.readinessProbe`, { httpGet: { port: 80 }, tcpSocket: { port: 80 } }]],
      errors: [`${field}.readinessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type`]
    },
    {
      why: "one success is enough to live and to start",
      edits: [
        [`${app}.livenessProbe`, { exec: { command: ["x"] }, successThreshold: 2 }],
        [`${app}.startupProbe`, { exec: { command: [] }, successThreshold: 3 }],
        [`${app}.readinessProbe`, { exec: { command: ["x"] }, successThreshold: 4 }]
      ],
      errors: [
        `${field}.livenessProbe.successThreshold: Invalid value: 2: must be 1`,
        `${field}.startupProbe.exec.command: Required value`,
        `${field}.startupProbe.successThreshold: Invalid value: 3: must be 1`
      ]
    },
    {
      why: "counts are not negative",
      edits: [[`${app}.readinessProbe`, { tcpSocket: { port: "http" }, periodSeconds: -3 }]],
      errors: [`${field}.readinessProbe.periodSeconds: Invalid value: -3: must be greater than or equal to 0`]
    },
    {
      why: "a hook asks somehow as well, at a port that exists",
      edits: [[`${app}.lifecycle`, { preStop: {}, postStart: { httpGet: { port: 0, scheme: "FTP" } } }]],
      errors: [
        `${field}.lifecycle.postStart.httpGet.port: Invalid value: 0: ${range}`,
        `${field}.lifecycle.postStart.httpGet.scheme: Unsupported value: "FTP": supported values: ` +
          `"HTTP", "HTTPS"`,
        `${field}.lifecycle.preStop: Required value: must specify a handler type`
      ]
    }
  ])
})

describe("resources (TestValidateResourceRequirements)", () => {
  check([
    {
      why: "a request fits into its limit",
      edits: [[`${app}.resources`, { limits: { cpu: "1" }, requests: { cpu: "2000m" } }]],
      errors: [
        `${field}.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1`
      ]
    },
    {
      why: "nothing is negative",
      edits: [[`${app}.resources`, { limits: { memory: "-1Mi" } }]],
      errors: [
        `${field}.resources.limits[memory]: Invalid value: "-1Mi": must be greater than or equal to 0`,
        `${field}.resources.requests[memory]: Invalid value: "-1Mi": must be greater than or equal to 0`
      ]
    },
    {
      why: "devices are whole and have limits",
      edits: [[`${app}.resources`, { requests: { "example.com/gpu": "1500m" } }]],
      errors: [
        `${field}.resources.requests[example.com/gpu]: Invalid value: "1500m": must be an integer`,
        `${field}.resources.limits: Required value: Limit must be set for non overcommitable resources`
      ]
    },
    {
      why: "huge pages are asked for whole",
      edits: [[`${app}.resources`, { limits: { cpu: "1", "hugepages-2Mi": "2.1Mi" } }]],
      errors: ["limits", "requests"].map(
        (list) =>
          `${field}.resources.${list}[hugepages-2Mi]: Invalid value: "2202010": ` +
          "2202010 is not positive integer multiple of hugepages-2Mi"
      )
    },
    {
      why: "several huge pages are whole as well",
      edits: [[`${app}.resources`, { limits: { cpu: "1", "hugepages-2Mi": "6Mi" } }]],
      errors: []
    },
    {
      why: "nothing runs on huge pages alone",
      edits: [[`${app}.resources`, { limits: { "hugepages-2Mi": "4Mi" } }]],
      errors: [`${field}.resources: Forbidden: HugePages require cpu or memory`]
    },
    {
      why: "plain names are those of Kubernetes",
      edits: [[`${app}.resources`, { limits: { gpu: "1" }, requests: { gpu: "1" } }]],
      errors: ["limits", "requests"].flatMap((list) => [
        `${field}.resources.${list}[gpu]: Invalid value: "gpu": must be a standard resource type or ` +
          `fully qualified`,
        `${field}.resources.${list}[gpu]: Invalid value: "gpu": must be a standard resource for containers`
      ])
    }
  ])
})

describe("the rest of a Pod (TestValidatePodSpec, TestValidateTolerations)", () => {
  check([
    {
      why: "three restart policies",
      edits: [["spec.restartPolicy", "Sometimes"]],
      errors: [
        'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"'
      ]
    },
    {
      why: "four DNS policies",
      edits: [["spec.dnsPolicy", "Mine"]],
      errors: [
        'spec.dnsPolicy: Unsupported value: "Mine": supported values: "ClusterFirstWithHostNet", ' +
          '"ClusterFirst", "Default", "None"'
      ]
    },
    {
      why: "a deadline lies ahead",
      edits: [["spec.activeDeadlineSeconds", 0]],
      errors: ["spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive"]
    },
    {
      why: "a host name has no dots",
      edits: [["spec.hostname", "a.b"]],
      errors: ['spec.hostname: Invalid value: "a.b": must not contain dots']
    },
    {
      why: "a toleration of everything says so",
      edits: [["spec.tolerations", [{ effect: "NoSchedule", tolerationSeconds: 5 }]]],
      errors: [
        'spec.tolerations[0].operator: Invalid value: "": operator must be Exists when `key` is empty, ' +
          'which means "match all values and all keys"',
        'spec.tolerations[0].effect: Invalid value: "NoSchedule": ' +
          "effect must be 'NoExecute' when `tolerationSeconds` is set"
      ]
    }
  ])
})

describe("a template is held to the same rules, at its own path", () => {
  it("says where in the Deployment it is", () => {
    const deployment = edited(aDeployment(), [
      "spec.template.spec.containers.0.ports",
      [{ containerPort: 70_001 }]
    ])
    expect(texts(validateCreate(deployments, withDefaults(deployments, deployment)))).toEqual([
      `spec.template.spec.containers[0].ports[0].containerPort: Invalid value: 70001: ${range}`
    ])
  })
})
