import type { Explained } from "../explained.ts"

/** Recordings, and what a page makes of them. */
export const recording: ReadonlyArray<Explained> = [
  {
    file: "src/store/watch/boundedWindow.ts",
    why: "when what was pushed out is let go of is a matter of memory alone",
    changes: [["if (start > lengthMax) {", "true", "false", "start >= lengthMax", "start <= lengthMax", "{}"]]
  },
  {
    file: "src/store/watch/boundedWindow.ts",
    why: "a search stays within its list: only the compiler cannot know",
    changes: [["if (item === undefined || numberOf(item) <= number) low = middle + 1", "false"]]
  },
  {
    file: "src/recording/entryHistory.ts",
    why: "nothing else is among the faults: only the compiler asks what it is",
    changes: [
      [`if (!kept.remove(happening) && happening.type === "fault") faults.delete(happening.id)`, "true"]
    ]
  },
  {
    file: "src/recording/readEntry.ts",
    why: "what is no text is none of the words: only the compiler asks first",
    changes: [[`(value) => typeof value === "string" && words.includes(value),`, "true"]]
  },
  {
    file: "src/recording/clusterRecorder.ts",
    why: "no actor has that address, so no step would be found: this only skips the search",
    changes: [[`if (wanted === "none") return []`, "false"]]
  },
  {
    file: "src/recording/recordingViewer.ts",
    why: "a bound of memory, for whom ten thousand writes are under way at once",
    changes: [["if (open.size > openMax && first !== undefined) open.delete(first)"]]
  },
  {
    file: "src/recording/recordingViewer.ts",
    why: "a viewer that has received nothing yet gets the time in any case",
    changes: [["let toldMillis = 0", "1"]]
  },
  {
    file: "src/page/history/fleet.ts",
    why: "what is in order already is only looked through or sorted in vain",
    changes: [
      [
        "const hasCome = own.some(({ uid, object }) => object !== undefined && !family.has(uid))",
        "true",
        "object !== undefined || !family.has(uid)"
      ],
      ["let last = -1", "+1", "2"],
      [
        "if (rank < last) return new Map([...family].sort(([a], [b]) => rankOf(a) - rankOf(b)))",
        "true",
        "rank <= last",
        "rank >= last"
      ]
    ]
  },
  {
    file: "src/page/history/clusterHistory.ts",
    why: "an object that is looked at without need has not changed, and that is all that costs",
    changes: [
      [
        "if (high - low > lives.count()) for (const { uid } of lives.all()) uids.add(uid)",
        "true",
        "false",
        "high - low >= lives.count()",
        "high - low <= lives.count()",
        "high + low"
      ],
      [`else for (let i = low; i < high; i += 1) uids.add(times[i]?.uid ?? "")`, "i <= high", "times[i].uid"]
    ]
  },
  {
    file: "src/page/history/clusterHistory.ts",
    why: "only another number, and no order, is promised",
    changes: [
      ["const grown = keep(0)", "1"],
      ["tell: () => grown.set(grown.get() + 1),", "grown.get() - 1", "2"]
    ]
  },
  {
    file: "src/page/history/clusterHistory.ts",
    why: "a direction is 1 or -1, and never 0",
    changes: [
      [
        "const index = indexAt(times, direction > 0 ? moment : moment - 1) + (direction > 0 ? 1 : 0)",
        "direction >= 0"
      ],
      ["const beyond = all.filter((it) => (direction > 0 ? it > moment : it < moment))", "direction >= 0"],
      ["return beyond.reduce((a, b) => (direction > 0 ? Math.min(a, b) : Math.max(a, b)))", "direction >= 0"]
    ]
  },
  {
    file: "src/page/history/objectVersions.ts",
    why: "ranks are only compared, and the search stays within its list",
    changes: [
      ["let seen = 0", "1"],
      ["const life = known ?? { uid, resource, rank: (seen += 1), versions: [] }", "2"],
      ["if (known === undefined) lives.set(uid, life)", "true"],
      ["rankOf: (uid) => lives.get(uid)?.rank ?? 0,", "lives.get(uid).rank", "1"],
      ["lastIndex(all.length, (index) => (all[index]?.number ?? Infinity) <= number)", "all[index].number"]
    ]
  },
  {
    file: "src/page/history/objectVersions.ts",
    why: "an object shares with nothing what it is given as it is",
    changes: [["const kept = before === undefined ? object : shared(before, object)", "false"]]
  },
  {
    file: "src/page/history/shareUnchanged.ts",
    why: "what is the same is put in its own place",
    changes: [["if (!Object.is(is, kept)) after[key] = kept", "true"]]
  },
  {
    file: "src/page/timeline/series/dueList.ts",
    why: "what was taken is let go of for its memory alone",
    changes: [
      [
        "if (taken >= due.length - taken) {",
        "true",
        "false",
        "taken > due.length - taken",
        "taken < due.length - taken",
        "due.length + taken",
        "{}"
      ]
    ]
  },
  {
    file: "src/page/timeline/momentReadout.ts",
    why: "a direction is 1 or -1, and never 0",
    changes: [
      [
        ".concat(ends.filter((number) => (direction > 0 ? number > moment : number < moment)))",
        "direction >= 0"
      ],
      ["return direction > 0 ? Math.min(...numbers) : Math.max(...numbers)", "direction >= 0"],
      [
        "direction > 0 ? list[indexAt(list, moment) + 1]?.number : list[indexAt(list, moment - 1)]?.number",
        "direction >= 0"
      ]
    ]
  },
  {
    file: "src/page/timeline/layout/markers.ts",
    why: "what is beyond a list is asked for by the compiler, and ends the walk as its length does",
    changes: [
      ["while (index < told.length) {", "index <= told.length"],
      ["if (first === undefined || first.atMillis > scale.endMillis) break", "false"],
      ["for (; index < told.length; index += 1) {", "index <= told.length"],
      ["if (it === undefined || it.atMillis > scale.endMillis) break", "false"]
    ]
  },
  {
    file: "src/page/timeline/layout/markers.ts",
    why: "of more good or bad things than fit only the first are told in any case",
    changes: [["if (some.length < linesMax) some.push(it)", "true", "some.length <= linesMax"]]
  },
  {
    file: "src/page/timeline/layout/podLayers.ts",
    why: "what is beyond a list is asked for by the compiler, and ends the walk as its length does",
    changes: [
      ["while (index < rows.length) {", "index <= rows.length"],
      ["if (first === undefined || first.atMillis > scale.endMillis) break", "false"],
      ["for (index += 1; index < rows.length; index += 1) {", "index <= rows.length"],
      ["if (row === undefined || row.atMillis >= edgeMillis) break", "false"],
      [
        "lastIndex(list.length, (index) => (list[index]?.atMillis ?? Infinity) <= millis) + 1",
        "list[index].atMillis"
      ]
    ]
  },
  {
    file: "src/page/timeline/layout/podLayers.ts",
    why: "one row that is both is told once, wherever it stands",
    changes: [
      [
        "const kept = fewest.number <= most.number ? [fewest, most, last] : [most, fewest, last]",
        "fewest.number < most.number"
      ]
    ]
  }
]
