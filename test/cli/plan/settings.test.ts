import { describe, expect, it } from "vitest"
import { charthouse, deploymentYaml } from "../harness/charthouse.ts"

const service = `apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80 }] }
`
const daemonSet = `apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agent }
spec:
  selector: { matchLabels: { app: agent } }
  template: { metadata: { labels: { app: agent } }, spec: { containers: [{ name: agent, image: "agent:1" }] } }
`
const job = `apiVersion: batch/v1
kind: Job
metadata: { name: import }
spec: { template: { spec: { restartPolicy: Never, containers: [{ name: it, image: "import:1" }] } } }
`
const batch = deploymentYaml({ name: "batch", image: "batch:2" })
  .replaceAll("app: web", "app: batch")
  .replace("    spec:\n", "    spec:\n      schedulerName: volcano\n")
const manifests = {
  "v1.yaml": [deploymentYaml(), service].join("---\n"),
  "v2.yaml": [deploymentYaml({ image: "web:2" }), service, batch, daemonSet, job].join("---\n")
}

/** `charthouse plan` alone, in a folder with these settings. */
const plan = (spec: string, ...args: ReadonlyArray<string>) =>
  charthouse(["plan", "--what-if", "none", ...args], {
    ...manifests,
    "charthouse.yaml":
      "apiVersion: charthouse.dev/v1\nkind: PlanSettings\nspec:\n  files: [v2.yaml]\n  from: [v1.yaml]\n  seeds: 1\n" +
      spec
  })

describe("what a team decided in charthouse.yaml", () => {
  const decisions = `\
  acceptUnknown:
    - { kind: Scheduler, reason: the batch team watches it, expires: 9999-01-31 }
  suppressions:
    - { rule: requests-lost, workloads: [web], reason: no client at night, expires: 9999-12-31 }
`
  it.for(["table", "markdown"])("is in the %s with its reason", async (format) => {
    const { code, stdout } = await plan(decisions, "-o", format)
    expect(code).toBe(0)
    expect(stdout.replaceAll(/<!-- -->|<\/?code>/g, "")).toMatch(
      /does not count: Deployment\/web .* of requests are lost \(requests-lost: no client at night \(until 9999-12-31\)\)/
    )
    expect(stdout).toContain(
      "scheduler volcano places its Pods (accepted: the batch team watches it, until 9999-01-31)"
    )
  })
})

describe("a threshold that is suppressed fails nothing", () => {
  const decisions = `\
  acceptUnknown: [{ kind: Scheduler, reason: batch, expires: 9999-12-31 }]
  thresholds: [{ failOn: pods>1, workloads: [web] }]
  suppressions:
    - { rule: requests-lost, reason: no client at night, expires: 9999-12-31 }
    - { rule: threshold, workloads: [web], reason: the nodes have room, expires: 9999-12-31 }
`
  it.for([
    { format: "json", told: '"rule": "threshold"', notTold: '"predicate"' },
    { format: "junit", told: "<testsuite", notTold: "it comes to" },
    { format: "sarif", told: "pods>1 is true", notTold: "it comes to" },
    { format: "table", told: "threshold: the nodes have room", notTold: "comes to" }
  ])("in $format", async ({ format, told, notTold }) => {
    const { code, stdout } = await plan(decisions, "-o", format)
    expect(code).toBe(0)
    expect(stdout).toContain(told)
    expect(stdout).not.toContain(notTold)
  })
})

it("a suppressed threshold for stuck seeds leaves them to the verdict", async () => {
  const threshold = `\
  assumptions: [{ image: "web:*", start: 24h }]
  thresholds: [{ failOn: stuck>100%, workloads: [web] }]
`
  const suppressions = `\
  suppressions:
    - { rule: threshold, workloads: [web], reason: too lenient, expires: 9999-12-31 }
`
  const accepted = ["--accept-unknown", "Scheduler"]
  expect(await plan(threshold, ...accepted)).toMatchObject({ code: 0 })
  const { code, stdout } = await plan(threshold + suppressions, ...accepted)
  expect(code).toBe(1)
  expect(stdout).toMatch(/^✗ stuck {4}Deployment\/web /m)
})

describe("charthouse.yaml is refused with the line of", () => {
  it.for([
    {
      what: "replicas of a DaemonSet",
      spec: "  environments: [{ name: a, replicas: { web: 1, agent: 2 } }]",
      problem:
        "7:49: DaemonSet/agent has no replicas: it has a Pod on each node, of which " +
        "spec.environments[].nodes says how many there are"
    },
    {
      what: "replicas of a Job",
      spec: "  environments: [{ name: a, replicas: { import: 2 } }]",
      problem:
        "7:41: Job/import has no replicas: how many Pods of a Job run at once is its spec.parallelism, " +
        "which an environment does not change"
    },
    {
      what: "lost requests of a workload without a Service",
      spec: "  thresholds: [{ failOn: 'pods>9,lost>1%', workloads: [batch] }]",
      problem:
        "7:27: lost>1% is never measured: no Service selects their Pods, so that no request can be lost"
    },
    {
      what: "available Pods of a Job",
      spec: "  thresholds: [{ failOn: available<1, workloads: [import] }]",
      problem:
        "7:26: available<1 is never measured: the Pods of a Job end, and are never counted as available"
    }
  ])("$what", async ({ spec, problem }) => {
    const { code, stdout, stderr } = await plan(`${spec}\n`)
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: "",
      stderr: `error: charthouse.yaml:${problem}\n`
    })
  })
})

it("a threshold of charthouse.yaml that new workloads cannot fail is only remarked", async () => {
  const settings = "  thresholds: [{ failOn: lost>1%, workloads: [web] }]\n"
  const { stderr } = await plan(settings.replace("[web]", "[web]"), "--from", "v1.yaml", "-f", "v2.yaml")
  const alone = await charthouse(["plan", "-f", "v1.yaml", "--seeds", "1", "--what-if", "none"], {
    ...manifests,
    "charthouse.yaml": `apiVersion: charthouse.dev/v1\nkind: PlanSettings\nspec:\n${settings}`
  })
  expect(stderr).not.toContain("lost>1%")
  expect(alone.stderr).toContain(
    "the threshold lost>1% is not measured: no client sends requests to a new workload yet; say with --from what runs before\n"
  )
})
