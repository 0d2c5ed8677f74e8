import { readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { describe, expect, it } from "vitest"

/** The house rules that no linter knows, kept by walking the files. */

const root = resolve(import.meta.dirname, "..")
const linesMax = 400
const columnsMax = 120

const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder)).flatMap((name) => {
    const path = join(folder, name)
    return statSync(join(root, path)).isDirectory() ? filesBelow(path) : [path]
  })

const isTypeScript = (path: string): boolean => /\.tsx?$/.test(path)
const sources = ["src", "machines"].flatMap(filesBelow).filter(isTypeScript)
const everything = [...sources, ...["test", "scripts"].flatMap(filesBelow).filter(isTypeScript)]
const textOf = (path: string): string => readFileSync(join(root, path), "utf8")

/** The imports of a file from within the project, as paths from its top. */
const importsOf = (path: string, { types }: { readonly types: boolean }): ReadonlyArray<string> =>
  [
    ...textOf(path).matchAll(/^(?:import|export)\s+(type\s)?[^"']*?from\s+"(\.[^"]+)"/gms),
    ...textOf(path).matchAll(/\bimport(\s+type)?\("(\.[^"]+)"\)/g)
  ]
    .filter(([, isType]) => types || isType === undefined)
    .map(([, , target = ""]) => relative(root, resolve(root, dirname(path), target)))

const roomOf = (path: string): string => {
  const [top = "", room = ""] = path.split("/")
  if (top === "machines") return "machines"
  return room.endsWith(".ts") ? "cluster" : room
}

/**
 * Which rooms a room may import from. `generated` is data made by the build. `cluster` is the files directly in `src`:
 * the front door, which alone sees everything.
 */
const arrows: Readonly<Record<string, ReadonlyArray<string>>> = {
  domain: ["generated"],
  machines: ["domain"],
  store: ["domain"],
  sockets: [],
  behaviours: ["domain"],
  runtime: ["domain", "machines", "store"],
  controllers: ["domain", "machines", "store", "runtime", "behaviours"],
  faults: ["domain", "machines", "store", "runtime", "controllers", "behaviours"],
  snapshots: ["domain", "machines", "store", "runtime", "behaviours", "faults"],
  manifests: ["domain", "store", "behaviours"],
  api: ["generated", "domain", "store", "runtime", "recording", "sockets"],
  remote: ["domain", "store", "manifests"],
  inspect: ["domain", "machines", "runtime", "store", "drawing", "sockets"],
  scenario: [
    "domain",
    "machines",
    "store",
    "runtime",
    "behaviours",
    "faults",
    "snapshots",
    "cluster",
    "manifests"
  ],
  drawing: ["domain"],
  recording: ["domain", "inspect", "store"],
  reports: ["domain", "scenario", "faults", "drawing", "recording"],
  page: ["domain", "inspect", "drawing", "recording"],
  testing: ["domain", "store", "behaviours", "manifests", "cluster", "scenario", "faults", "api", "remote"],
  cli: [
    "domain",
    "store",
    "runtime",
    "behaviours",
    "manifests",
    "cluster",
    "scenario",
    "faults",
    "reports",
    "snapshots",
    "inspect",
    "recording",
    "api",
    "remote"
  ],
  cluster: [
    "domain",
    "machines",
    "store",
    "runtime",
    "controllers",
    "behaviours",
    "faults",
    "snapshots",
    "manifests",
    "api",
    "inspect",
    "recording"
  ]
}

describe("imports", () => {
  it("run one way between the rooms of the house", () => {
    const wrong = sources.flatMap((path) =>
      importsOf(path, { types: true })
        .filter((target) => roomOf(target) !== roomOf(path))
        .filter((target) => !(arrows[roomOf(path)] ?? []).includes(roomOf(target)))
        .map((target) => `${path} -> ${target}`)
    )
    expect(wrong).toEqual([])
  })

  it("go round in no circle", () => {
    const visiting: Array<string> = []
    const done = new Set<string>()
    const circles: Array<string> = []
    const visit = (path: string): void => {
      if (done.has(path) || !path.endsWith(".ts")) return
      if (visiting.includes(path)) {
        circles.push([...visiting.slice(visiting.indexOf(path)), path].join(" -> "))
        return
      }
      visiting.push(path)
      for (const target of importsOf(path, { types: false })) visit(target)
      visiting.pop()
      done.add(path)
    }
    for (const path of sources) visit(path)
    expect(circles).toEqual([])
  })

  it("pass through no barrel but the package's entry", () => {
    const barrels = sources.filter((path) => {
      const statements = textOf(path)
        .replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, "")
        .trim()
      const rest = statements.replaceAll(/^export\s+(type\s+)?\{[^}]*\}\s+from\s+"[^"]+"$/gm, "").trim()
      return statements !== "" && rest === ""
    })
    expect(barrels).toEqual(["src/index.ts"])
  })
})

describe("a file", () => {
  it(`has no more than ${linesMax} lines`, () => {
    expect(everything.filter((path) => textOf(path).split("\n").length > linesMax)).toEqual([])
  })

  it(`has no line of more than ${columnsMax} columns but where a sentence cannot be cut`, () => {
    const long = sources.flatMap((path) =>
      textOf(path)
        .split("\n")
        .filter((line) => line.length > columnsMax && !/["'`].{60,}["'`]/.test(line))
        .map((line) => `${path}: ${line.trim().slice(0, 60)}`)
    )
    expect(long).toEqual([])
  })
})

describe("the house", () => {
  const banned: ReadonlyArray<{ readonly what: RegExp; readonly where: RegExp; readonly why: string }> = [
    { what: /\bMath\.random\b/, where: /^(src|machines)/, why: "chance comes from the seed" },
    {
      what: /\bDate\.now\b|\bnew Date\(\)/,
      where: /^(src\/(?!world\.ts|inspect|cli|page|api\/certificates\.ts|testing\/realTime\.ts)|machines)/,
      why: "time comes from the timeline"
    },
    {
      what: /\b(setTimeout|setInterval|setImmediate)\(/,
      where:
        /^(src\/(?!runtime\/(timeline|movement|actors)\.ts|api\/(server|streams|intercept|verbs\/watch)\.ts|testing\/realTime\.ts|sockets|inspect|cli|page)|machines)/,
      why: "time comes from the timeline"
    },
    {
      what: /\bconsole\./,
      where: /^(src|machines)/,
      why: "a library does not print, and a command by cli/terminal.ts"
    },
    {
      what: /\bprocess\.std(out|err)\b|"log-update"|"effect\/Console"|\bEffect\.log/,
      where: /^(src\/(?!cli\/(terminal|frame|main|start)\.ts|runtime\/logDefect\.ts)|machines)/,
      why: "text from objects is made harmless in cli/terminal.ts, cli/frame.ts and runtime/logDefect.ts"
    },
    { what: /\bfromPromise\b|\binvoke:/, where: /^machines/, why: "a chart awaits nothing" },
    {
      what: /import (\* as \w+|\{[^}]*\b((writeFile|appendFile|copyFile|rename|truncate|write|cp)(Sync)?|createWriteStream|open)\b[^}]*\}) from "node:fs|"effect\/FileSystem"/,
      where: /^src\/(?!replaceFile\.ts|cli\/terminal\.ts)/,
      why: "replaceFile writes files, so that a full disk destroys none"
    },
    { what: /\bexport default\b/, where: /^(src|machines|test|scripts)/, why: "a thing has one name" },
    { what: new RegExp(["\\bFIX", "ME\\b"].join("")), where: /./, why: "mend it" },
    { what: /\benum\s+\w+\s*\{/, where: /^(src|machines)/, why: "types are erased" },
    { what: /@ts-(ignore|expect-error)/, where: /^(src|machines)/, why: "types are kept" }
  ]
  for (const { what, where, why } of banned) {
    it(`has no ${what.source}: ${why}`, () => {
      const found = everything.filter((path) => where.test(path) && what.test(textOf(path)))
      expect(found).toEqual([])
    })
  }

  it("has no file named for nothing", () => {
    const vague = /(^|\/)(utils?|helpers?|common|misc|manager|handler|data|info|process)\.ts$/i
    expect(everything.filter((path) => vague.test(path))).toEqual([])
  })

  it("names no host of a package registry and no path of a machine", () => {
    const files = [...everything, "package.json", "package-lock.json", "README.md", "machines/README.md"]
    const pattern = new RegExp(
      ["registry\\.npmjs", "registry\\.yarnpkg", ["/wo", "rk/main"].join("")].join("|")
    )
    expect(files.filter((path) => pattern.test(textOf(path)))).toEqual([])
  })
})
