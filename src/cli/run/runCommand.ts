import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { defaultNodeCount } from "../../cluster/defaultNodeCount.ts"
import { parseDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { refuseCommand } from "../terminal/exitCode.ts"
import { makeSeedsFlag } from "../flags/seedsFlag.ts"
import {
  behaviourFlag,
  runClockFlag,
  virtualClock,
  clusterNameDefault,
  featureGatesFlag,
  runFilesFlag,
  hostDefault,
  inspectFlag,
  inspectedObjectsFlag,
  inspectPortNeedsInspect,
  inspectPortOf,
  isInspectPortUnused,
  kubeconfigFlag,
  pagePortNeedsTls,
  noTlsFlag,
  outputFlag,
  clusterNameFlag,
  hostFlag,
  inspectPortFlag,
  nodesFlag,
  pagePortFlag,
  portFlag,
  seedFlag,
  tokenFileFlag
} from "../flags/sharedFlags.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

const storiesArgument = Argument.String("STORY").pipe(
  Argument.withDescription(
    "A story: a YAML file of kind Scenario, a module that exports one as `story`, or a folder of YAML files"
  ),
  Argument.variadic()
)

const seedsFlag = makeSeedsFlag("The seeds to play each story with, on all cores; by default its own seed")

const reportFlag = Flag.Literals("report", ["html", "json", "junit"]).pipe(
  Flag.withDescription(
    "The reports to write for each story; without --out, one report of one story is printed"
  ),
  Flag.atLeast(0)
)

const outFlag = Flag.String("out").pipe(
  Flag.withMetavar("DIR"),
  Flag.withDescription("The folder for reports, and for the smallest failing version of each failed story"),
  Flag.optional
)

const untilFlag = Flag.String("until").pipe(
  Flag.withMetavar("TIME"),
  Flag.withDescription("With --up: the time up to which the story is played, such as 3m"),
  Flag.filterMap(
    (text) => {
      const millis = parseDuration(text)
      return millis === undefined || millis < 0 ? Option.none() : Option.some(millis)
    },
    () => "a time since the story began, such as 90s or 3m"
  ),
  Flag.optional
)

const upFlag = Flag.Boolean("up").pipe(
  Flag.withDescription("Serve the cluster as it is at --until, with a paused clock"),
  Flag.withDefault(false)
)

const flags = {
  stories: storiesArgument,
  files: runFilesFlag,
  clock: runClockFlag.pipe(Flag.optional),
  seed: seedFlag.pipe(Flag.optional),
  seeds: seedsFlag,
  nodes: nodesFlag.pipe(Flag.optional),
  behaviour: behaviourFlag,
  featureGates: featureGatesFlag,
  output: outputFlag,
  inspect: inspectFlag,
  inspectOnly: inspectedObjectsFlag,
  inspectPort: inspectPortFlag,
  report: reportFlag,
  out: outFlag,
  until: untilFlag,
  up: upFlag,
  name: clusterNameFlag.pipe(Flag.optional),
  host: hostFlag.pipe(Flag.optional),
  port: portFlag.pipe(Flag.optional),
  pagePort: pagePortFlag.pipe(Flag.optional),
  noTls: noTlsFlag,
  kubeconfig: kubeconfigFlag,
  tokenFile: tokenFileFlag
}

type RunFlags = Command.Command.Config.Infer<typeof flags>

export const runCommand = (setExitCode: (code: ExitCode) => void) =>
  Command.make(
    "run",
    flags,
    Effect.fnUntraced(function* (flagValues) {
      const problems = flagProblems(flagValues)
      setExitCode(
        problems.length > 0
          ? refuseCommand(...problems.map((it) => `error: ${it}`))
          : yield* runStoriesOrFiles(flagValues)
      )
    })
  ).pipe(
    Command.withDescription(
      "Play stories, or apply manifests. A story describes events in a cluster and conditions that must hold. It is " +
        "played with one seed or many; a failure is reported with the command that repeats it and the smallest story " +
        "that still fails. With -f, each manifest is applied in turn, after the rollouts of the one before have " +
        "completed or failed. " +
        "Exits 0 when every story passes and every rollout completes, 1 when one does not, 2 when an argument or a " +
        "file is invalid"
    ),
    Command.withShortDescription("Play stories, or apply manifests in turn and watch the rollouts"),
    Command.withExamples([
      {
        command: "charthouse run stories/ --seeds 1..100 --report junit --out reports",
        description: "Play every story of a folder a hundred times, for CI"
      },
      {
        command: "charthouse run story.yaml --seed 17 --until 3m --up",
        description: "Inspect one moment of a story with kubectl"
      },
      {
        command: "charthouse run story.yaml --seed 17 --inspect deployment/web",
        description: "Watch a story's statecharts in Stately's inspector"
      },
      {
        command: "charthouse run -f web-v1.yaml -f web-v2.yaml",
        description: "Roll out one version after another"
      },
      {
        command: "charthouse run -f web.yaml --behaviour behaviours.yaml -o json",
        description: "Choose the behaviour of Pods, and print the result as JSON"
      },
      {
        command: "charthouse run -f web.yaml --clock 60x --seed 7",
        description: "Watch at a minute each second"
      }
    ])
  )

const runStoriesOrFiles = (flagValues: RunFlags): Effect.Effect<ExitCode> => {
  if (flagValues.stories.length === 0) return runManifestFiles(flagValues)
  return flagValues.up ? serveStoryCluster(flagValues) : playStories(flagValues)
}

const runManifestFiles = (flagValues: RunFlags): Effect.Effect<ExitCode> =>
  Effect.flatMap(
    Effect.promise(() => import("./runFiles.ts")),
    ({ runFiles }) =>
      runFiles({
        files: flagValues.files,
        clock: Option.getOrElse(flagValues.clock, () => virtualClock),
        seed: Option.getOrElse(flagValues.seed, () => 1),
        nodes: Option.getOrElse(flagValues.nodes, () => defaultNodeCount),
        behaviour: Option.getOrUndefined(flagValues.behaviour),
        featureGates: Option.getOrUndefined(flagValues.featureGates),
        output: Option.getOrUndefined(flagValues.output),
        inspectPort: inspectPortOf(flagValues),
        inspectOnly: Option.getOrUndefined(flagValues.inspectOnly)
      })
  )

const inspectOf = (flagValues: RunFlags) => {
  const port = inspectPortOf(flagValues)
  return port === undefined
    ? undefined
    : { port, selectedObjects: Option.getOrUndefined(flagValues.inspectOnly) }
}

const seedsOf = (flagValues: RunFlags): ReadonlyArray<number> | undefined =>
  Option.getOrUndefined(Option.orElse(flagValues.seeds, () => Option.map(flagValues.seed, (seed) => [seed])))

const playStories = (flagValues: RunFlags): Effect.Effect<ExitCode> =>
  Effect.flatMap(
    Effect.promise(() => import("./runStories.ts")),
    ({ runStories }) =>
      runStories({
        paths: flagValues.stories,
        seeds: seedsOf(flagValues),
        reports: flagValues.report,
        out: Option.getOrUndefined(flagValues.out),
        inspect: inspectOf(flagValues)
      })
  )

const serveStoryCluster = (flagValues: RunFlags): Effect.Effect<ExitCode> =>
  Effect.flatMap(
    Effect.promise(() => import("./serveStory.ts")),
    ({ serveStory }) =>
      serveStory({
        paths: flagValues.stories,
        seeds: seedsOf(flagValues),
        // --up without --until has been refused.
        untilMillis: Option.getOrElse(flagValues.until, () => 0),
        name: Option.getOrElse(flagValues.name, () => clusterNameDefault),
        host: Option.getOrElse(flagValues.host, () => hostDefault),
        port: Option.getOrElse(flagValues.port, () => 0),
        tls: !flagValues.noTls,
        kubeconfig: Option.getOrUndefined(flagValues.kubeconfig),
        pagePort: Option.getOrElse(flagValues.pagePort, () => 0),
        tokenFile: Option.getOrUndefined(flagValues.tokenFile),
        inspect: inspectOf(flagValues)
      })
  )

const flagProblems = (flagValues: RunFlags): ReadonlyArray<string> => {
  const isGiven: Readonly<Record<string, boolean>> = {
    "--clock": Option.isSome(flagValues.clock),
    "--nodes": Option.isSome(flagValues.nodes),
    "--behaviour": Option.isSome(flagValues.behaviour),
    "--feature-gates": Option.isSome(flagValues.featureGates),
    "--output": Option.isSome(flagValues.output),
    "--inspect": flagValues.inspect,
    "--inspect-only": Option.isSome(flagValues.inspectOnly),
    "--seeds": Option.isSome(flagValues.seeds),
    "--report": flagValues.report.length > 0,
    "--out": Option.isSome(flagValues.out),
    "--until": Option.isSome(flagValues.until),
    "--up": flagValues.up,
    "--name": Option.isSome(flagValues.name),
    "--host": Option.isSome(flagValues.host),
    "--port": Option.isSome(flagValues.port),
    "--page-port": Option.isSome(flagValues.pagePort),
    "--token-file": Option.isSome(flagValues.tokenFile),
    "--no-tls": flagValues.noTls,
    "--kubeconfig": Option.isSome(flagValues.kubeconfig)
  }
  const flagsWithoutEffect = (names: ReadonlyArray<string>, why: string): ReadonlyArray<string> =>
    names.filter((name) => isGiven[name] === true).map((name) => `${name} ${why}`)
  const [story] = flagValues.stories
  const [file] = flagValues.files
  if (story === undefined && file === undefined)
    return ["say what to run: stories, as in charthouse run STORY, or files of objects with --filename"]
  if (story !== undefined && file !== undefined)
    return [`a run is of stories or of files: ${story} is a story, and -f ${file} is a file of objects`]
  const inspectProblems = isInspectPortUnused(flagValues) ? [inspectPortNeedsInspect] : []
  if (story === undefined) {
    const storyFlags = [...playedToEndFlags, ...servingFlags, "--until", "--up"]
    return [
      ...flagsWithoutEffect(storyFlags, "is for stories, and with -f there is none"),
      ...inspectProblems
    ]
  }
  return [
    ...inspectProblems,
    ...flagsWithoutEffect(["--nodes", "--behaviour"], "is for -f FILE: a story has it in its spec"),
    ...flagsWithoutEffect(["--feature-gates"], "is for -f FILE: a story is played with the defaults"),
    ...flagsWithoutEffect(["--clock"], "is for -f FILE: a story is played in virtual time"),
    ...flagsWithoutEffect(["--output"], "is for -f FILE: what came of a story is written with --report"),
    ...(flagValues.stories.length > 1
      ? flagsWithoutEffect(["--inspect", "--inspect-only"], oneStoryText)
      : []),
    ...(isGiven["--seeds"] === true ? flagsWithoutEffect(["--inspect", "--inspect-only"], oneStoryText) : []),
    ...(isGiven["--page-port"] === true && flagValues.noTls ? [pagePortNeedsTls] : []),
    ...(isGiven["--seeds"] === true && Option.isSome(flagValues.seed)
      ? ["--seed is one seed and --seeds are many: say one of the two"]
      : []),
    ...(flagValues.up
      ? [
          ...flagsWithoutEffect(
            playedToEndFlags,
            "is for stories that are played to their end, and --up stops before"
          ),
          ...(isGiven["--until"] === true
            ? []
            : ["--up needs --until: the moment at which the cluster is served"]),
          ...(flagValues.stories.length > 1 ? ["--up serves one story, and these are several"] : [])
        ]
      : flagsWithoutEffect([...servingFlags, "--until"], "goes with --up"))
  ]
}

const oneStoryText = "shows one story with one seed: say which"
const playedToEndFlags = ["--seeds", "--report", "--out"]
const servingFlags = ["--name", "--host", "--port", "--page-port", "--token-file", "--no-tls", "--kubeconfig"]
