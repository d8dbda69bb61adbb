import AppStoreServer
import ArgumentParser
import Foundation

/// Which of Apple's servers a command asks.
enum AppleEnvironment: String, CaseIterable, ExpressibleByArgument {
    case production
    case sandbox
    case automatic

    var servers: ServerEnvironment {
        switch self {
        case .production: .production
        case .sandbox: .sandbox
        case .automatic: .automatic
        }
    }
}

/// The options with which a command chooses an App Store server.
struct AppleServerOptions: ParsableArguments {
    @Option(
        help: """
            Apple's servers: production, sandbox or automatic, which asks both (environment: TILL_APPLE_ENVIRONMENT; \
            default: automatic).
            """
    )
    var environment: AppleEnvironment?
    @Option(
        help: """
            The URL of another server, such as http://127.0.0.1:8889 for Till's sandbox (environment: TILL_APPLE_URL).
            """
    )
    var url: String?
    @Option(help: "A JSON file with these options (default: ~/.config/till/apple.json).", completion: .file())
    var profileFile: String?
    @Flag(help: "Prints the unmodified answers as a JSON array.")
    var json = false

    func validate() throws {
        if environment != nil, url != nil {
            throw ValidationError("--environment chooses among Apple's servers. Give --environment or --url, not both.")
        }
        if let url, !url.hasPrefix("http://"), !url.hasPrefix("https://") {
            throw ValidationError("--url must begin with http:// or https://.")
        }
        if let url, URLComponents(string: url)?.user != nil {
            throw ValidationError("--url must not contain a user name or password. They would not be sent.")
        }
    }

    /// The limits of the requests: few attempts, because a person waits for the answer.
    static var limits: ClientOptions {
        var options = ClientOptions()
        options.maxAttempts = 3
        return options
    }

    /// The servers of the options, of the variables or of the profile, in this order.
    func servers(_ profile: AppleProfile) throws -> ServerEnvironment {
        if let environment { return environment.servers }
        if let url { return .custom(url) }
        if let url = TillVariable.text("APPLE_URL") { return .custom(url) }
        let isVariable = TillVariable.text("APPLE_ENVIRONMENT") != nil
        if !isVariable, let url = profile["url"] { return .custom(url) }
        guard let text = TillVariable.text("APPLE_ENVIRONMENT") ?? profile["environment"] else { return .automatic }
        guard let environment = AppleEnvironment(rawValue: text) else {
            let known = AppleEnvironment.allCases.map(\.rawValue).joined(separator: ", ")
            let place = isVariable ? "TILL_APPLE_ENVIRONMENT" : "environment in \(profile.path)"
            throw CommandRefused("\(place) is \(text), which is not an environment. Environments: \(known).")
        }
        return environment.servers
    }
}

/// The key for in-app purchases with which a command signs in to an App Store server.
struct AppleKeyOptions: ParsableArguments {
    @Option(help: "The .p8 file of the key for in-app purchases (environment: TILL_APPLE_KEY).", completion: .file())
    var key: String?
    @Option(help: "The id of the key (environment: TILL_APPLE_KEY_ID; default: from the name of the file).")
    var keyId: String?
    @Option(help: "The id of the issuer (environment: TILL_APPLE_ISSUER).")
    var issuer: String?
    @Option(help: "The bundle id of the app (environment: TILL_APPLE_BUNDLE).")
    var bundle: String?

    /// A client of servers.
    ///
    /// - Parameter app: the app that the command is about in Till; nil if the variables or the profile name it.
    func client(
        of servers: ServerEnvironment,
        _ profile: AppleProfile,
        about app: String? = nil
    ) throws -> AppStoreServerClient {
        let file = try value(key ?? TillVariable.text("APPLE_KEY") ?? profile.path(at: "key"), "key", "KEY")
        let keyID = keyId ?? TillVariable.text("APPLE_KEY_ID") ?? profile["keyId"] ?? Self.keyID(in: file)
        let id = try value(keyID, "key-id", "KEY_ID")
        let issuerID = try value(issuer ?? TillVariable.text("APPLE_ISSUER") ?? profile["issuer"], "issuer", "ISSUER")
        let named = bundle ?? app ?? TillVariable.text("APPLE_BUNDLE") ?? profile["bundle"]
        let bundleID = try value(named, "bundle", "BUNDLE")
        let appleKey: AppStoreKey
        do {
            appleKey = try AppStoreKey(file: file, keyID: id, issuerID: issuerID)
        } catch {
            // The error could quote the file.
            throw CommandRefused("\(file) is not a readable .p8 file with a private key.", code: "no_key")
        }
        return AppStoreServerClient(
            key: appleKey,
            bundleID: bundleID,
            environment: servers,
            options: AppleServerOptions.limits
        )
    }

    private func value(_ found: String?, _ flag: String, _ variable: String) throws -> String {
        if let found { return found }
        throw CommandRefused(
            "--\(flag) is missing. Give it, set TILL_APPLE_\(variable), or write it to ~/.config/till/apple.json. "
                + "In App Store Connect, keys for in-app purchases are at Users and Access, Integrations.",
            code: "no_key"
        )
    }

    /// The key id in the name of a file as App Store Connect and Till name it, such as `AuthKey_2X9R4HXF34.p8`.
    static func keyID(in file: String) -> String? {
        let name = URL(fileURLWithPath: file).deletingPathExtension().lastPathComponent
        let parts = name.split(separator: "_")
        return parts.count == 2 && ["AuthKey", "SubscriptionKey"].contains(parts[0]) ? String(parts[1]) : nil
    }
}

/// The options with which a command asks an App Store server about an app.
struct AppleOptions: ParsableArguments {
    @OptionGroup var key: AppleKeyOptions
    @OptionGroup var server: AppleServerOptions

    /// A client of the server.
    func client() throws -> AppStoreServerClient {
        let profile = try AppleProfile(server.profileFile)
        return try key.client(of: try server.servers(profile), profile)
    }
}
