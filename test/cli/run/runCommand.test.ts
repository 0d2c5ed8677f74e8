import { describe, expect, it } from "vitest"
import { charthouse, deploymentYaml } from "../harness/charthouse.ts"

const behaviours = `apiVersion: charthouse.dev/v1
kind: Behaviour
metadata:
  name: missing
spec:
  match:
    image: "*:broken"
  pull:
    failures: forever
    error: no such manifest
`

const paused = deploymentYaml({ image: "web:2", more: "  paused: true\n" })
const files = {
  "v1.yaml": deploymentYaml(),
  "v2.yaml": deploymentYaml({ image: "web:2" }),
  "bad.yaml": deploymentYaml({ image: "web:broken" }),
  "paused.yaml": paused,
  "behaviours.yaml": behaviours
}
const run = (...args: ReadonlyArray<string>) => charthouse(["run", ...args], files)

describe("the exit code of run", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly args: ReadonlyArray<string>
    readonly code: number
  }> = [
    { why: "0 when every rollout has completed", args: ["-f", "v1.yaml", "-f", "v2.yaml"], code: 0 },
    { why: "0 when a file changes nothing", args: ["-f", "v1.yaml", "-f", "v1.yaml"], code: 0 },
    {
      why: "1 when a rollout has failed its deadline",
      args: ["-f", "v1.yaml", "-f", "bad.yaml", "--behaviour", "behaviours.yaml"],
      code: 1
    },
    {
      why: "1 when a rollout has failed, also where a later one has completed",
      args: ["-f", "v1.yaml", "-f", "bad.yaml", "-f", "v2.yaml", "--behaviour", "behaviours.yaml"],
      code: 1
    },
    { why: "1 when no node takes the Pods", args: ["-f", "v1.yaml", "--nodes", "0"], code: 1 },
    { why: "1 when a rollout is left paused", args: ["-f", "v1.yaml", "-f", "paused.yaml"], code: 1 },
    {
      why: "0 when a paused rollout is resumed by the next file",
      args: ["-f", "v1.yaml", "-f", "paused.yaml", "-f", "v2.yaml"],
      code: 0
    }
  ]
  it.concurrent.for(rows)("is $why", async ({ args, code }, { expect }) => {
    const ended = await run(...args)
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code, stderr: "" })
  })
})

describe("the piped output of run", () => {
  it("has the same bytes for the same seed, and others for another seed", async () => {
    const args = ["-f", "v1.yaml", "-f", "bad.yaml", "--behaviour", "behaviours.yaml"]
    const [first, again, other] = await Promise.all([run(...args), run(...args), run(...args, "--seed", "7")])
    expect(first.stdout).toBe(again.stdout)
    expect(other.stdout).not.toBe(first.stdout)
  })

  it("names seed, clock, nodes and start time on its first line", async () => {
    const { stdout } = await run("-f", "v1.yaml", "--seed", "41", "--nodes", "5")
    expect(stdout.split("\n")[0]).toMatch(
      /^# charthouse \d+\.\d+\.\d+: seed 41, clock virtual, 5 nodes, time begins at /
    )
  })

  it("has one line for each event: time, object, reason, message", async () => {
    const { stdout } = await run("-f", "v1.yaml", "-f", "v2.yaml")
    const lines = stdout.slice(0, stdout.indexOf("\n\n")).split("\n")
    const events = lines.filter((line) => !line.startsWith("#"))
    expect(events.filter((line) => !/^ *\+\d+\.\d{3}s {2}\w+\/\S+ +\w+ +\S/.test(line))).toEqual([])
    expect(events[0]).toMatch(/\+0\.000s {2}Deployment\/web +Applied +created$/)
    expect(events.at(-1)).toMatch(/Complete +deployment "web" successfully rolled out$/)
  })

  it("ends with duration, availability, problems and their reasons", async () => {
    const { stdout } = await run("-f", "v1.yaml", "-f", "bad.yaml", "--behaviour", "behaviours.yaml")
    const end = stdout.slice(stdout.indexOf("\n\n"))
    expect(end).toMatch(/\nv1\.yaml\n {2}Deployment\/web complete in \d\.\ds: most Pods 3\n/)
    expect(end).toMatch(
      /\nbad\.yaml\n {2}Deployment\/web failed after 10m0\.\ds: fewest available 3 of 3, most Pods 4/
    )
    expect(end).toContain('! deployment "web" exceeded its progress deadline\n')
    expect(end).toContain('! 1 Pod could not pull image "web:broken": no such manifest (ImagePullBackOff)\n')
  })

  it("says that a rollout waits for itself when old Pods hold the ports of all nodes", async () => {
    const withPort = (yaml: string): string =>
      yaml.replace(/(\n +)image: .*/, "$&$1ports: [{ containerPort: 80, hostPort: 8080 }]")
    const { code, stdout } = await charthouse(["run", "-f", "v1.yaml", "-f", "v2.yaml"], {
      "v1.yaml": withPort(files["v1.yaml"]),
      "v2.yaml": withPort(files["v2.yaml"])
    })
    expect(code).toBe(1)
    expect(stdout).toContain(
      "    ! 1 Pod found no node: 0/3 nodes are available: 3 node(s) didn't have free ports for the requested pod " +
        "ports. (Unschedulable)\n    ! This rollout waits for itself: hostPort 8080 keeps its new Pods from the nodes " +
        "of the old ones, and with maxUnavailable: 25% (0 of 3) no old one goes before a new one is available\n"
    )
  })

  it("shows that a behaviour without a match applies to every Pod", async () => {
    const everywhere = behaviours.replace(/ {2}match:\n.*\n/, "")
    const { code, stdout } = await charthouse(["run", "-f", "v1.yaml", "--behaviour", "all.yaml"], {
      ...files,
      "all.yaml": everywhere
    })
    expect(code).toBe(1)
    expect(stdout).toContain('! 3 Pods could not pull image "web:1": no such manifest (ImagePullBackOff)\n')
  })

  it("shows that --behaviour takes the name of a built-in behaviour", async () => {
    const { stdout } = await run("-f", "v1.yaml", "-f", "v2.yaml", "--behaviour", "instant")
    expect(stdout).toContain("Deployment/web complete in 0.0s: most Pods 3\n")
  })
})

describe("run -f of other workloads", () => {
  const podTemplate = (image: string, restartPolicy = "Always") =>
    `{ metadata: { labels: { app: x } }, spec: { restartPolicy: ${restartPolicy}, containers: [{ name: c, image: "${image}" }] } }`
  const selected = (kind: string, spec: string, image: string) =>
    `apiVersion: apps/v1
kind: ${kind}
metadata: { name: x }
spec: { ${spec}selector: { matchLabels: { app: x } }, template: ${podTemplate(image)} }
`
  const job = (name: string, spec: string) =>
    `apiVersion: batch/v1
kind: Job
metadata: { name: ${name} }
spec: { ${spec}template: ${podTemplate("job:1", "Never")} }
`
  const all = (statefulSetImage: string, daemonSetImage: string) =>
    [
      selected("StatefulSet", "replicas: 2, serviceName: x, ", statefulSetImage),
      selected("DaemonSet", "", daemonSetImage),
      job("once", "completions: 2, "),
      job("later", "suspend: true, ")
    ].join("---\n")

  it("waits until StatefulSets, DaemonSets and Jobs are complete, and tells what holds them up", async () => {
    const { code, stdout } = await charthouse(
      ["run", "-f", "all.yaml", "-f", "next.yaml", "--behaviour", "behaviours.yaml"],
      { ...files, "all.yaml": all("x:1", "x:1"), "next.yaml": all("x:broken", "x:2") }
    )
    const [, ending = ""] = stdout.split("\n\n", 2)
    const whole = `${ending}\n${stdout.split("\n\n").slice(2).join("\n")}`.replaceAll(
      /\d+m?\d*\.\ds/g,
      "TIME"
    )
    expect(whole.trimEnd().split("\n")).toEqual([
      "all.yaml",
      "  StatefulSet/x complete in TIME: most Pods 2",
      "  DaemonSet/x complete in TIME: most Pods 3",
      "  Job/once complete in TIME: most Pods 1",
      "  Job/later paused: most Pods 0",
      '    ! job "later" is suspended',
      "next.yaml",
      "  StatefulSet/x failed after TIME: fewest available 1 of 2, most Pods 2",
      "    ! Waiting for 1 pods to be ready...",
      '    ! 1 Pod could not pull image "x:broken": no such manifest (ImagePullBackOff)',
      "  DaemonSet/x complete in TIME: fewest available 2 of 3, most Pods 3",
      "  Job/once complete in TIME: most Pods 0",
      "  Job/later paused: most Pods 0",
      '    ! job "later" is suspended'
    ])
    expect(code).toBe(1)
  })
})

describe("run -f of Jobs", () => {
  const job = (name: string, spec: string) => `apiVersion: batch/v1
kind: Job
metadata: { name: ${name} }
spec: { ${spec}template: { spec: { restartPolicy: Never, containers: [{ name: c, image: "${name}:1" }] } } }
`
  const failing = `apiVersion: charthouse.dev/v1
kind: Behaviour
metadata: { name: failing }
spec: { match: { image: "*broken:1" }, exit: { after: 1s, code: 3 } }
`
  const rows: ReadonlyArray<{
    readonly why: string
    readonly jobs: ReadonlyArray<string>
    /** What is printed of the ends of Jobs, without fractions of a second. */
    readonly jobLines: ReadonlyArray<string>
    readonly code: number
  }> = [
    {
      why: "a Job whose ttl deleted it counts as complete",
      jobs: [job("brief", "ttlSecondsAfterFinished: 0, ")],
      jobLines: ['+2 Job/brief Complete job "brief" is complete'],
      code: 0
    },
    {
      why: "so does one that is deleted while a longer Job lasts, and each is told when it ends",
      jobs: [job("brief", "ttlSecondsAfterFinished: 1, "), job("long", "completions: 9, ")],
      jobLines: [
        '+2 Job/brief Complete job "brief" is complete',
        '+20 Job/long Complete job "long" is complete'
      ],
      code: 0
    },
    {
      why: "a failed Job whose ttl deleted it counts as failed",
      jobs: [job("broken", "backoffLimit: 0, ttlSecondsAfterFinished: 0, "), job("long", "completions: 9, ")],
      jobLines: [
        '+2 Job/broken Failed job "broken" has failed: Job has reached the specified backoff limit',
        '+20 Job/long Complete job "long" is complete'
      ],
      code: 1
    },
    {
      why: "a suspended Job, and one with another manager, are not waited for",
      jobs: [
        job("later", "suspend: true, "),
        job("foreign", "managedBy: example.com/jobs, "),
        job("brief", "")
      ],
      jobLines: [
        '+0 Job/later Paused job "later" is suspended',
        '+0 Job/foreign Delegated job "foreign" is left to its manager, example.com/jobs',
        '+2 Job/brief Complete job "brief" is complete'
      ],
      code: 1
    }
  ]
  it.concurrent.for(rows)("$why", async ({ jobs, jobLines, code }, { expect }) => {
    const ended = await charthouse(["run", "-f", "jobs.yaml", "--behaviour", "failing.yaml"], {
      "jobs.yaml": jobs.join("---\n"),
      "failing.yaml": failing
    })
    const ends = [
      ...ended.stdout.matchAll(
        /^ *(\+\d+)\.\d+s +(Job\/\S+) +(Complete|Failed|Paused|Delegated|Deleted|Unfinished) +(.*)$/gmu
      )
    ].map(([, ...words]) => words.join(" "))
    expect({ ends, code: ended.code }).toEqual({ ends: jobLines, code })
  })
})

describe("-o json", () => {
  it("prints one object with the outcome of every file", async () => {
    const { stdout } = await run(
      "-f",
      "v1.yaml",
      "-f",
      "bad.yaml",
      "--behaviour",
      "behaviours.yaml",
      "-o",
      "json"
    )
    const printed: unknown = JSON.parse(stdout)
    expect(printed).toMatchObject({
      seed: 1,
      clock: "virtual",
      rollouts: [
        { file: "v1.yaml", name: "web", outcome: "complete", availableFewest: null, podsMost: 3 },
        { file: "bad.yaml", name: "web", outcome: "failed", availableFewest: 3, podsMost: 4 }
      ],
      summary: {
        rollouts: 2,
        complete: 1,
        exitCode: 1,
        troubles: ['1 Pod could not pull image "web:broken": no such manifest (ImagePullBackOff)']
      }
    })
    expect(printed).toHaveProperty("events.0.reason", "ScalingReplicaSet")
  })
})

describe("-o tree", () => {
  it("draws the Deployments at the end of each file", async () => {
    const { stdout } = await run("-f", "v1.yaml", "-f", "v2.yaml", "-o", "tree")
    expect(stdout).toMatch(
      /# v2\.yaml\nNAME .*\n⟳ Deployment\/web .* ✔ Complete .*\n├──# revision:2 +web:2\n/
    )
    expect(stdout).toMatch(/\n└──# revision:1 +web:1\n/)
  })
})

describe("--clock", () => {
  it("100x completes a rollout a hundred times as fast as the machine's clock", async () => {
    const { code, stdout } = await run("-f", "v1.yaml", "--clock", "100x")
    expect(stdout).toMatch(/Deployment\/web complete in \d+\.\ds: most Pods 3\n/)
    expect(code).toBe(0)
  })
})

describe("charthouse", () => {
  it("--version prints the package's version", async () => {
    const { stdout, code } = await charthouse(["--version"])
    expect(stdout.trim()).toMatch(/^charthouse v\d+\.\d+\.\d+$/)
    expect(code).toBe(0)
  })

  it("--help names every flag and shows an example", async () => {
    const { stdout, code } = await charthouse(["run", "--help"])
    for (const flag of ["-f", "--clock", "--seed", "--nodes", "--behaviour", "-o", "--inspect"]) {
      expect(stdout).toContain(flag)
    }
    expect(stdout).toContain("charthouse run -f web-v1.yaml -f web-v2.yaml")
    expect(code).toBe(0)
  })

  it("--inspect prints the inspector's address and ends with the run without a viewer", async () => {
    const { stderr, code } = await run("-f", "v1.yaml", "--inspect")
    expect(stderr).toMatch(/^the statecharts can be watched at http:\/\/127\.0\.0\.1:\d+/)
    expect(code).toBe(0)
  })

  it("demo shows a missed deadline and its undo, and exits with 0", async () => {
    const { stdout, code } = await charthouse(["demo"])
    const outcomes = [...stdout.matchAll(/^ {2}Deployment\/web (complete|failed)/gm)].map(
      ([, outcome]) => outcome
    )
    expect(outcomes).toEqual(["complete", "complete", "failed", "complete"])
    expect(code).toBe(0)
  })

  it.each(["demo", "up"])("%s refuses the port of an inspector that is not wanted", async (command) => {
    const { stderr, code } = await charthouse([command, "--inspect-port", "8000"])
    expect(stderr).toContain("--inspect-port goes with --inspect or --inspect-only")
    expect(code).toBe(2)
  })
})
