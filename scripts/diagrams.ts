import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { containerMachine } from "../machines/container.ts"
import { deploymentMachine } from "../machines/deployment.ts"
import { nodeMachine } from "../machines/node.ts"
import { podMachine } from "../machines/pod.ts"
import { replicaSetMachine } from "../machines/replicaSet.ts"
import { mermaidOfState } from "../src/inspect/mermaid.ts"
import type { AnyStateNode } from "xstate"

/**
 * Rewrites what is generated of `machines/README.md`: diagrams, between `<!-- diagram: NAME -->` and
 * `<!-- /diagram -->`, and listings, between `<!-- listing: PATH -->` and `<!-- /listing -->`.
 * With `--check` it writes nothing and exits with 1 when something is stale. Another file may be named instead.
 */
const deployment = deploymentMachine().root
const rollout = deployment.states["rollout"]

const charts: ReadonlyMap<string, AnyStateNode | undefined> = new Map<string, AnyStateNode | undefined>([
  ["deployment", deployment],
  ["rollingUpdate", rollout?.states["rollingUpdate"]],
  ["recreate", rollout?.states["recreate"]],
  ["replicaSet", replicaSetMachine.root],
  ["pod", podMachine.root],
  ["container", containerMachine.root],
  ["node", nodeMachine.root]
])

const diagrams = /<!-- diagram: (\w+) -->\n[\s\S]*?<!-- \/diagram -->/g
const listings = /<!-- listing: (\S+) -->\n[\s\S]*?<!-- \/listing -->/g

const regenerated = (text: string): string =>
  text
    .replace(diagrams, (_block, name: string) => {
      const chart = charts.get(name)
      if (chart === undefined) throw new Error(`no chart is called ${name}`)
      const diagram = ["```mermaid", mermaidOfState(chart), "```", ...legendOf(chart)]
      return [`<!-- diagram: ${name} -->`, ...diagram, "<!-- /diagram -->"].join("\n")
    })
    .replace(listings, (_block, path: string) => {
      const source = readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), "utf8").trimEnd()
      return [`<!-- listing: ${path} -->`, "```ts", source, "```", "<!-- /listing -->"].join("\n")
    })

/** What the charts themselves say of their states, which is too much for a box. */
const legendOf = (chart: AnyStateNode): ReadonlyArray<string> => {
  const told = nodesUnder(chart).filter(({ description }) => description !== undefined)
  if (told.length === 0) return []
  const rows = told.map((node) => {
    const path = node.path.slice(chart.path.length).join(".")
    return `| \`${path}\` | ${node.description} |`
  })
  return ["", "| state | what goes on |", "|---|---|", ...rows, ""]
}

const nodesUnder = (node: AnyStateNode): ReadonlyArray<AnyStateNode> =>
  Object.values(node.states).flatMap((child: AnyStateNode) => [child, ...nodesUnder(child)])

const [named] = process.argv.slice(2).filter((argument) => argument !== "--check")
const path = named ?? fileURLToPath(new URL("../machines/README.md", import.meta.url))
const present = readFileSync(path, "utf8")
const wanted = regenerated(present)

if (!process.argv.includes("--check")) writeFileSync(path, wanted)
else if (wanted !== present) {
  console.error(`${path} is stale: run node scripts/diagrams.ts`)
  process.exitCode = 1
}
