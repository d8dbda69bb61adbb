/// Names that may contain a word from the list.
enum WordExceptions {
    /// Each allowed name, with the reason.
    static let names = [
        "isLeapYear": "the calendar's word",
        "Wrong lengths, stray end markers and foreign tags are rejected": "an end marker without its beginning",
        "tl-strike": "a line through a mark",
        "holdings": "a key of stored accounts",
        "journalLength": "the flag --journal-length",
        "journalAll": "the flag --journal-all",
        "journalBodies": "the flag --journal-bodies",
        "listComing": "an operation id of the control API",
        "listJournal": "an operation id of the control API",
    ]

    /// Names that still contain a word from the list and will be renamed. Do not add names here.
    static let pendingRenames: Set = [
        "Act", "ActAnswer", "ActOptions", "Acts", "CareCommands", "CleanState", "CleanStateCommands",
        "CleanStateRoutes", "CleanStateTests", "ConsoleStage", "CoreStage", "Era", "Face", "HTTPStage", "Holding",
        "HoldingCheck", "Holdings", "Line", "Place", "PostgresTrouble", "PostgresTroubleTests", "RulesStage",
        "ShopStage", "Stage", "StageKind", "StageOperation", "StageSettings", "StorageTrouble", "Strike", "Tale",
        "TimelineStage", "TimelineTrouble", "Trouble",
        "act", "acts", "appendJournal", "cancelledTrouble", "cleanState", "cleanStateRoutes", "coming",
        "comingRoutes", "comingSchema", "dice", "eraseJournalEntry", "faces", "filled", "followJournal",
        "forgetWhatNobodyIsOwed", "hear", "holdingsOf", "isOwed", "isPassingTrouble", "isWorthTelling", "journalByID",
        "journalEntries", "journalEntry", "journalPage", "journalRoutes", "newestJournal", "offersSetAside", "owed",
        "owed0", "owedCount", "owedDeliveries", "owedEndpoints", "pump", "pushing", "restoration", "shareHoldings",
        "strayDeliveries", "strike", "test_clean_state", "tl-mark-trouble", "toldSince", "trimJournal", "trouble",
        "trouble_mustache", "untold", "wish",
        "longestBackOff", "longestBody", "longestDelay", "longestGap", "longestLine", "longestRequest",
        "longestSilence", "longestSleep", "longestURI", "longestWait",
        "mostAddresses", "mostAtOnce", "mostAttempts", "mostBeginnings", "mostBytes", "mostCharacters",
        "mostCompanions", "mostCounters", "mostFaults", "mostFindings", "mostFreedAtOnce", "mostGap",
        "mostHeldPurchases", "mostIdentifiers", "mostInGroup", "mostItems", "mostLookedAt", "mostLookedUp",
        "mostMembers", "mostParts", "mostPending", "mostPeriods", "mostReads", "mostRefundRequests",
        "mostReplacedRefunds", "mostResent", "mostRowFindings", "mostRows", "mostSnapshots", "mostSpeed", "mostSteps",
        "mostTokens", "mostTunnels", "mostWaiting",
    ]
}
