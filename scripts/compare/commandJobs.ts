import { createHash } from "node:crypto"
import { globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"

/** One call of the command, in a folder of its own with these files beside the shared inputs. */
export interface CommandJob {
  readonly name: string
  readonly args: ReadonlyArray<string>
  readonly files?: Readonly<Record<string, string>>
}

const subcommands = [
  [],
  ["up"],
  ["run"],
  ["plan"],
  ["demo"],
  ["get"],
  ["get", "kubeconfig"],
  ["get", "rollout"],
  ["chart"],
  ["explain"],
  ["clock"],
  ...["now", "advance", "step", "settle", "pause", "resume", "speed"].map((it) => ["clock", it]),
  ["fault"],
  ["fault", "list"],
  ["fault", "end"],
  ["snapshot"],
  ["snapshot", "save"],
  ["why"],
  ["record"],
  ["replay"]
] as const

/** Calls that are refused, or that need no cluster. */
const singles: ReadonlyArray<string> = [
  "--version",
  "fault",
  "fault list",
  "fault odd",
  "fault crash",
  "clock now",
  "clock speed odd",
  "clock advance odd",
  "get kubeconfig",
  "get rollout",
  "get rollout deployment/web",
  "get odd",
  "odd",
  "explain",
  "explain deployment/web",
  "explain odd/web",
  "why deployment/web",
  "why web",
  "record",
  "replay absent.recording",
  "replay examples/web-v1.yaml",
  "snapshot save",
  "up --snapshot absent.json",
  "up --clock odd",
  "up --nodes odd",
  "up --name -",
  "up --token-file absent/file",
  "up --behaviour odd",
  "up --strategies absent.ts",
  "up --feature-gates Odd=true",
  "up --port 99999",
  "up --inspect-only odd",
  "chart odd",
  "chart pod -o odd",
  "chart --strategies absent.ts",
  "plan",
  "plan -f absent.yaml",
  "plan -f examples",
  "plan -f examples/plan-v2.yaml --seeds 0",
  "plan -f examples/plan-v2.yaml --seeds 9..1",
  "plan -f examples/plan-v2.yaml --assume odd=1",
  "plan -f examples/plan-v2.yaml --assume start=9s..1s,crash=200%",
  "plan -f examples/plan-v2.yaml --fail-on available",
  "plan -f examples/plan-v2.yaml --fail-on available<x,odd>1",
  "plan -f examples/plan-v2.yaml --nodes -1",
  "plan -f examples/plan-v2.yaml --behaviour odd",
  "plan -f examples/plan-v2.yaml --exhaustive --failures 9",
  "plan -f examples/plan-v2.yaml --exhaustive --seeds 3",
  "plan -f examples/plan-v2.yaml --exhaustive --fail-on duration>1s",
  "plan -f examples/plan-v2.yaml --kubeconfig absent",
  "plan -f examples/plan-v2.yaml --context odd",
  "plan -f examples/plan-v2.yaml -n Odd",
  "run",
  "run absent.yaml",
  "run examples/web-v1.yaml",
  "run scenarios/undo.yaml --seeds odd",
  "run scenarios/undo.yaml --report odd",
  "run scenarios/undo.yaml -o json",
  "run scenarios/undo.yaml --until odd",
  "run scenarios/undo.yaml --until 3m",
  "run scenarios/undo.yaml --report html --report json",
  "run -f examples/web-v1.yaml --report html",
  "run -f examples/web-v1.yaml --clock odd"
]

const words = (line: string): ReadonlyArray<string> => line.split(" ")
const nameOf = (text: string): string => {
  const name = text.replaceAll(/[^\w.=-]+/g, "_")
  if (name.length <= 120) return name
  return `${name.slice(0, 110)}-${createHash("sha1").update(text).digest("hex").slice(0, 8)}`
}

/** `seeds` for the form that costs little; fewer for pages and folders of stories. */
export const commandJobs = (options: {
  readonly inputs: string
  readonly seeds: number
}): ReadonlyArray<CommandJob> => {
  const { inputs, seeds } = options
  const few = Math.max(1, Math.round(seeds / 5))
  const stories = globSync("scenarios/*.{yaml,ts}", { cwd: inputs }).sort()
  const projects = globSync("manifests/*/", { cwd: inputs })
    .filter((project) => !project.endsWith("-next"))
    .sort()
  const lines: ReadonlyArray<string> = [
    ...singles,
    ...stories.flatMap((story) => [
      `run ${story}`,
      `run ${story} --seeds 1..${seeds} --report json --report junit --out reports`,
      `run ${story} --seeds 1..2 --report html --out reports`
    ]),
    ...["events", "json", "tree"].flatMap((form) => [
      `demo -o ${form} --seed 3`,
      ...[1, 2, 3, 4, 5].map(
        (seed) =>
          `run -f examples/web-v1.yaml -f examples/web-v2.yaml -f examples/web-bad.yaml --behaviour examples/behaviours.yaml -o ${form} --seed ${seed}`
      )
    ]),
    ...["table", "json", "html"].flatMap((form) => [
      `plan -f examples/plan-v2.yaml --from examples/plan-v1.yaml --seeds ${seeds} --assume start=5s..15s,ready=5s..25s,crash=3% --fail-on available<75%,lost>1% -o ${form}`,
      `plan -f examples/web-bad.yaml --from examples/web-v1.yaml --behaviour examples/behaviours.yaml --seeds ${few} -o ${form}`,
      `plan -f examples/plan-v2.yaml --from examples/plan-v1.yaml --exhaustive --failures 1 --fail-on available<50% -o ${form}`,
      `plan -f examples/web-v2.yaml --from examples/web-v1.yaml --exhaustive --failures 0 -o ${form}`
    ]),
    ...projects.flatMap((project) => [
      `plan -f ${project} --seeds ${few} -o json`,
      `plan -f ${project} --seeds 2 -o table`,
      `plan -f ${project}-next --from ${project} --seeds ${few} -o json`,
      `plan -f ${project}-next --from ${project} --seeds 1 -o html`
    ]),
    ...projects.map((project) => `plan -f ${project}-next --from ${project} --exhaustive -o table`),
    ...["", "container", "deployment", "node", "pod", "recreate", "replicaSet", "rollingUpdate"].flatMap(
      (chart) =>
        ["json", "mermaid", "svg", "scxml"].map((form) =>
          chart === "" ? `chart -o ${form}` : `chart ${chart} -o ${form}`
        )
    ),
    "chart"
  ]
  return [
    ...subcommands.map((command) => ({
      name: nameOf(`help ${command.join(" ")}`),
      args: [...command, "--help"]
    })),
    ...["bash", "zsh", "fish"].map((shell) => ({
      name: `completions_${shell}`,
      args: ["--completions", shell]
    })),
    ...lines.map((line) => ({
      name: nameOf(line.replaceAll(/\b(examples|scenarios)\//g, "")),
      args: words(line)
    }))
  ]
}

interface Harvested {
  readonly args?: ReadonlyArray<string>
  readonly files?: Readonly<Record<string, string>>
  readonly story?: string
}

/** What the older tree's tests gave to the command, and every story that they played. */
export const harvestedJobs = (harvest: string, seeds: number): ReadonlyArray<CommandJob> => {
  const few = Math.max(1, Math.round(seeds / 5))
  const lines = globSync("*.jsonl", { cwd: harvest }).flatMap((file) =>
    readFileSync(join(harvest, file), "utf8").trim().split("\n")
  )
  return [...new Set(lines)].sort().flatMap((line): ReadonlyArray<CommandJob> => {
    const { args, files = {}, story } = JSON.parse(line) as Harvested
    const digest = createHash("sha1").update(line).digest("hex").slice(0, 8)
    if (story !== undefined) {
      const given = ["run", "story.yaml", "--seeds", `1..${few}`, "--report", "json", "--out", "reports"]
      return [{ name: `story-${digest}`, args: given, files: { "story.yaml": story } }]
    }
    // A path of the machine is one of a served cluster, or of a file that is gone.
    if (args === undefined || args.length === 0 || args.some((it) => /^\/|https?:|\/tmp\//.test(it)))
      return []
    if (args.some((it) => ["up", "--up", "--clock", "live"].includes(it) || it.startsWith("--inspect")))
      return []
    return [{ name: nameOf(`test-${basename(args.join(" "))}-${digest}`), args, files }]
  })
}
